import { outgoing } from './outgoing.ts'
import { proves } from './proof.ts'

proves(outgoing)
