import { hostOn, openStage, PROJECTION, type Place } from './stage.js';

/** What one rebuild in a process of its own came to. */
export interface RebuildResult {
  readonly events: number;
  readonly rows: number;
  readonly seconds: number;
  /** The most memory the process ever had, threads included. */
  readonly peakMb: number;
}

export interface RebuildTask {
  readonly place: Place;
  /** Differs from the live build's, so that the host rebuilds at its start and does nothing else. */
  readonly version: number;
}

// Whoever waits for the result has gone.
process.once('disconnect', () => process.exit(1));
process.once('message', (task: RebuildTask) => {
  rebuild(task).then(
    (result) => process.send?.(result, () => process.exit(0)),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});

async function rebuild({ place, version }: RebuildTask): Promise<RebuildResult> {
  const stage = await openStage(place);
  const host = hostOn(stage, version);
  await host.start();
  while ((await host.status())[0]?.state !== 'rebuilding') await new Promise((resolve) => setTimeout(resolve, 10));
  const report = await host.rebuilt(PROJECTION.name);
  await host.stop();
  const { rows } = await stage.database.query<{ count: number }>('select count(*) from live.containers');
  await stage.close();
  const peakMb = process.resourceUsage().maxRSS / 1_024;
  return { events: report.events, rows: rows[0]?.count ?? 0, seconds: report.seconds, peakMb };
}
