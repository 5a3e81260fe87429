import { sqlite } from '../store/sqlite-backend.ts'
import { describeAdmin } from './contract.ts'

describeAdmin(sqlite)
