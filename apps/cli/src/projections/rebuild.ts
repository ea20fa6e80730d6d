import { setTimeout as sleep } from 'node:timers/promises';
import type {
  ScriptoriumProjectionsDto,
  ScriptoriumRebuildDto,
  ScriptoriumRebuildReportDto,
  ScriptoriumRebuildStartedDto,
} from '#surfaces/scriptorium-v1';
import type { Core } from '../core/core.js';
import { patiently } from '../core/patience.js';
import { refuseCommand } from '../failure.js';
import type { Output, Terminal } from '../terminal.js';
import { amount, counted, plain, seconds, table } from '../text.js';
import { projectionPath, PROJECTIONS } from './paths.js';
import { Progress } from './progress.js';

const LOOK_MS = 150;

type Finished = ScriptoriumRebuildDto & { readonly report: ScriptoriumRebuildReportDto };

export async function rebuild(core: Core, terminal: Terminal, name: string, { json }: Output): Promise<void> {
  const { version } = await core.post<ScriptoriumRebuildStartedDto>(projectionPath(name, 'rebuild'));
  const progress = json ? undefined : new Progress(terminal, name);
  try {
    const finished = await ended(core, terminal, name, version, progress);
    progress?.end();
    if (json) terminal.printJson(finished);
    else terminal.print(reportText(finished));
  } catch (error) {
    progress?.end();
    if (terminal.stop.aborted)
      terminal.note(`${name}: the rebuild is not given up: it goes on in the server, or at its next start.`);
    throw error;
  }
}

async function ended(
  core: Core,
  terminal: Terminal,
  name: string,
  version: number,
  progress: Progress | undefined,
): Promise<Finished> {
  let failure: string | undefined;
  for (;;) {
    const { items } = await patiently(terminal, () => core.get<ScriptoriumProjectionsDto>(PROJECTIONS));
    const status = items.find((item) => item.name === name);
    if (status?.rebuild === undefined) break;
    progress?.show(status.rebuild);
    if (status.error !== undefined && status.error !== failure) {
      failure = status.error;
      terminal.note(plain(`${name} is being tried again: ${failure}`));
    }
    await sleep(LOOK_MS, undefined, { signal: terminal.stop });
  }
  const last = await patiently(terminal, () => core.get<ScriptoriumRebuildDto>(projectionPath(name, 'rebuild')));
  if (last.version !== version || last.report === undefined) throw refuseCommand('REBUILD_LOST', { name, version });
  return { ...last, report: last.report };
}

function reportText({ name, version, report }: Finished): string {
  const rows = report.tables.reduce((sum, each) => sum + each.rows, 0);
  const differences = report.tables.reduce((sum, each) => sum + differencesIn(each), 0);
  const summary = [
    `${name}: version ${version} is live, built from ${amount(report.events, 'event')} in ${seconds(report.seconds)}.`,
    `${amount(rows, 'row')} compared with version ${report.previous}: ${differences === 0 ? 'no differences' : amount(differences, 'difference')}.`,
  ];
  const tables = table(
    ['TABLE', 'ROWS', 'ONLY BEFORE', 'ONLY NOW', 'CHANGED'],
    report.tables.map((each) => [
      each.table,
      ...[each.rows, each.only_before, each.only_after, each.changed].map(counted),
    ]),
    ['ROWS', 'ONLY BEFORE', 'ONLY NOW', 'CHANGED'],
  );
  return [...summary, '', tables].join('\n');
}

function differencesIn(table: ScriptoriumRebuildReportDto['tables'][number]): number {
  return table.only_before + table.only_after + table.changed;
}
