import { postgres } from '../stores/postgres-backend.ts'
import { describeAdmin } from './contract.ts'

describeAdmin(postgres)
