import { eventLogBehaviour, eventLogProperties, EventStoreDbDouble } from '#testing';
import { connectEventStoreDb } from './eventstoredb-log.js';

async function openDouble() {
  const double = await EventStoreDbDouble.start();
  const log = connectEventStoreDb({ url: double.url });
  return {
    log,
    close: async () => {
      await log.close();
      await double.stop();
    },
  };
}

eventLogBehaviour('EventStoreDB (double)', openDouble);
eventLogProperties('EventStoreDB (double)', openDouble);

const url = process.env.EVENTSTORE_URL;
if (url !== undefined && url !== '') {
  const openReal = async () => {
    const log = connectEventStoreDb({ url });
    await log.head();
    return { log, close: () => log.close() };
  };
  eventLogBehaviour('EventStoreDB (EVENTSTORE_URL)', openReal);
  eventLogProperties('EventStoreDB (EVENTSTORE_URL)', openReal);
}
