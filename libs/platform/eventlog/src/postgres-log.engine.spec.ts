import { PostgresEventLog } from '#platform/eventlog';
import { eventLogBehaviour, eventLogProperties, serverDatabase } from '#testing';

const open = async () => {
  const { database, close } = await serverDatabase();
  const log = new PostgresEventLog(database);
  await log.listen();
  return {
    log,
    close: async () => {
      await log.close();
      await close();
    },
  };
};

eventLogBehaviour('the Postgres log, on a server', open);
eventLogProperties('the Postgres log, on a server', open);
