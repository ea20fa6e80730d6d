/** Injects the process's Logger. */
export const LOGGER = Symbol('Logger');
