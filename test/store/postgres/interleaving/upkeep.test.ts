import { upkeep } from './upkeep.ts'
import { proves } from './proof.ts'

proves(upkeep)
