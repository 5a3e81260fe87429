export { createMaintenance, type Maintenance } from './keeper.ts'
export { tellingOfNewer } from './newer.ts'
export { checkIdsAge, pruning } from './pruning.ts'
