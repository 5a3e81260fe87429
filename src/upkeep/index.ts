export { createKeeper, type Keeper } from './keeper.ts'
export { tellingOfNewer } from './newer.ts'
export { checkIdsAge, pruning } from './pruning.ts'
