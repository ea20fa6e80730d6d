import { START, type Position } from '#platform/eventlog';

/**
 * The position each caller last wrote at, so that what it reads next includes it. Kept by this process; a caller that
 * moves between processes carries its position in the `x-position` header. Nobody is shown less than the log held when
 * the process began: what was acknowledged before a crash is read after it.
 */
export class LastPositions {
  private readonly positions = new Map<string, Position>();

  constructor(
    private readonly floor: Position = START,
    private readonly capacity = 10_000,
  ) {}

  of(callerId: string): Position {
    return this.positions.get(callerId) ?? this.floor;
  }

  remember(callerId: string, position: Position): void {
    const known = this.of(callerId);
    this.positions.delete(callerId);
    this.positions.set(callerId, known > position ? known : position);
    if (this.positions.size > this.capacity) this.forgetOldest();
  }

  private forgetOldest(): void {
    for (const oldest of this.positions.keys()) {
      this.positions.delete(oldest);
      return;
    }
  }
}
