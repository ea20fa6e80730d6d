import type { ScriptoriumRebuildProgressDto } from '#surfaces/scriptorium-v1';
import type { Terminal } from '../terminal.js';
import { amount, counted } from '../text.js';

const WIDTH = 30;
const STEP_PERCENT = 10;

/** Shows how far a rebuild is: a bar that moves where somebody watches, a line every tenth of the way elsewhere. */
export class Progress {
  private said = -Infinity;

  constructor(
    private readonly terminal: Terminal,
    private readonly name: string,
  ) {}

  show(progress: ScriptoriumRebuildProgressDto): void {
    const percent = percentOf(progress);
    if (this.terminal.isWatched) this.terminal.redraw(this.bar(progress, percent));
    else if (percent >= this.said + STEP_PERCENT) {
      this.terminal.note(`${this.name}: version ${progress.version}, ${percent} %, ${eventsIn(progress)}`);
      this.said = percent;
    }
  }

  end(): void {
    if (this.terminal.isWatched) this.terminal.redraw('');
  }

  private bar(progress: ScriptoriumRebuildProgressDto, percent: number): string {
    const full = Math.round((percent / 100) * WIDTH);
    return `${this.name} version ${progress.version} [${'#'.repeat(full)}${'.'.repeat(WIDTH - full)}] ${percent} %  ${eventsIn(progress)}`;
  }
}

/** Never 100: what is left to do then is comparing and switching. */
export function percentOf({ processed, total }: ScriptoriumRebuildProgressDto): number {
  return total === 0 ? 0 : Math.min(99, Math.floor((100 * processed) / total));
}

function eventsIn({ processed, total }: ScriptoriumRebuildProgressDto): string {
  return total === 0 ? 'starting' : `${counted(processed)} of ${amount(total, 'event')}`;
}
