import { work } from './work.ts'
import { proves } from './proof.ts'

proves(work)
