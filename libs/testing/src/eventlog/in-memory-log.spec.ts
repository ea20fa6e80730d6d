import { eventLogBehaviour } from './event-log.suite.js';
import { eventLogProperties } from './event-log.properties.js';
import { InMemoryEventLog } from './in-memory-log.js';

const open = () => {
  const log = new InMemoryEventLog();
  return Promise.resolve({ log, close: () => log.close() });
};

eventLogBehaviour('The log in memory', open);
eventLogProperties('The log in memory', open);
