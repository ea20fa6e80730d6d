import { connectEventStoreDb } from '#platform/eventlog';
import { EventStoreDbDouble, projectionBehaviour, reactorBehaviour, serverDatabase } from '#testing';

/** Read models on a server, events in EventStoreDB's protocol: no transaction could span the two. */
async function withEventStoreDb() {
  const opened = await serverDatabase();
  const double = await EventStoreDbDouble.start();
  const log = connectEventStoreDb({ url: double.url });
  return {
    ...opened,
    log,
    close: async () => {
      await log.close();
      await double.stop();
      await opened.close();
    },
  };
}

projectionBehaviour('a Postgres server', serverDatabase);
reactorBehaviour('a Postgres server', serverDatabase);
projectionBehaviour('a Postgres server, events in EventStoreDB (double)', withEventStoreDb);
reactorBehaviour('a Postgres server, events in EventStoreDB (double)', withEventStoreDb);
