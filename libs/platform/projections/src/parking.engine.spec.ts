import { connectEventStoreDb } from '#platform/eventlog';
import { EventStoreDbDouble, parkingBehaviour, serverDatabase } from '#testing';

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

parkingBehaviour('a Postgres server', serverDatabase);
parkingBehaviour('a Postgres server, events in EventStoreDB (double)', withEventStoreDb);
