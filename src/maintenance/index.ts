export { type Backlog, watchBacklog } from './backlog.ts'
export { checkIdsAge, createMaintenance, erasing, type Maintenance, pruning } from './maintenance.ts'
export { warnOfNewerSchema } from './newer-schema.ts'
