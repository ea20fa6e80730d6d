import { SetMetadata } from '@nestjs/common';
import type { OperationClass } from '#platform/operations';

export const BINDS = 'scriptorium:binds';
export const OPEN_ROUTE = 'scriptorium:open-route';

/** Says which operation a route runs. The audit refuses routes that say nothing. */
export const Binds = (operation: OperationClass) => SetMetadata(BINDS, operation);

/** Marks a route of the infrastructure: it runs no operation, and the audit holds its path against a short list. */
export const Infrastructure = () => SetMetadata(OPEN_ROUTE, true);
