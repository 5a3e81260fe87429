import { arrivals } from './arrivals.ts'
import { outgoing } from './outgoing.ts'
import { people } from './people.ts'
import { provesLarge } from './proof.ts'
import { maintenance } from './maintenance.ts'
import { work } from './work.ts'

provesLarge([...arrivals, ...work, ...outgoing, ...people, ...maintenance])
