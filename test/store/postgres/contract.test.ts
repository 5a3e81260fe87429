import { describeStore } from '../contract/index.ts'
import { postgres } from '../postgres-backend.ts'

describeStore(postgres)
