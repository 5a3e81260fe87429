export { checkIdsAge, createMaintenance, type Maintenance, pruning } from './maintenance.ts'
export { warnOfNewerSchema } from './newer-schema.ts'
