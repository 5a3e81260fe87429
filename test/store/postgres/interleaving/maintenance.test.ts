import { maintenance } from './maintenance.ts'
import { proves } from './proof.ts'

proves(maintenance)
