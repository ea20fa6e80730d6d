import { PostgresEventLog } from '#platform/eventlog';
import { embeddedDatabase, eventLogBehaviour, eventLogProperties } from '#testing';

const open = async () => {
  const { database, close } = await embeddedDatabase();
  return { log: new PostgresEventLog(database), close };
};

eventLogBehaviour('the Postgres log, embedded', open);
eventLogProperties('the Postgres log, embedded', open);
