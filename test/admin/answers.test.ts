import { sqlite } from '../stores/sqlite-backend.ts'
import { describeAdmin } from './contract.ts'

describeAdmin(sqlite)
