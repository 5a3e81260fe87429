import { postgres } from '../store/postgres-backend.ts'
import { describeAdmin } from './contract.ts'

describeAdmin(postgres)
