export { ContainersV1Module, containersV1 } from './containers-v1.module.js';
