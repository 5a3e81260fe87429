export { createMaintenance, type Maintenance } from './maintenance.ts'
export { tellingOfNewer } from './newer.ts'
export { checkIdsAge, pruning } from './pruning.ts'
