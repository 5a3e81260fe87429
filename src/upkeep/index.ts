export { createKeeper, type Keeper } from './keeper.ts'
export { tellingOfNewer } from './newer.ts'
export { tellOfRestored } from './restored.ts'
