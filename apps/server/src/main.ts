import { exitFor, serve } from './serve.js';

serve().catch(exitFor);
