import { people } from './people.ts'
import { proves } from './proof.ts'

proves(people)
