import { arrivals } from './arrivals.ts'
import { proves } from './proof.ts'

proves(arrivals)
