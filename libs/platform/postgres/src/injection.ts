/** Injects the Database. */
export const DATABASE = Symbol('Database');
