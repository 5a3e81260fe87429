import { describeStore } from './contract/index.ts'
import { sqlite } from './sqlite-backend.ts'

describeStore(sqlite)
