export * from './database.js';
export { holdsDatabase } from './embedded-folder.js';
export { heldLock, readHolder, type FolderLock, type LockHolder } from './folder-lock.js';
export * from './injection.js';
export { Housekeeping, vacuumTables, type Chore } from './housekeeping.js';
export * from './open.js';
export { refuseDatabase } from './postgres.errors.js';
export * from './type-orm.js';
