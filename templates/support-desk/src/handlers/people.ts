/** In opening hours a person answers; the bot is silent for four hours, or until the customer says "menu". */
import { routes } from 'switchhook'
import { handOver, openingHours, resume } from 'switchhook/comfort'
import type { desk } from '../desk.ts'
import { HOURS } from './hours.ts'
import { menuIn } from './menu.ts'

export const people = routes<typeof desk>('people')

// The way back. At other times every other text gets the menu.
people.whileTakenOver((b) =>
  b.hears(
    ['menu', 'menyu'],
    resume((ctx) => menuIn(ctx.t)),
  ),
)

const present = routes<typeof desk>('present')
present.use(openingHours(HOURS, (ctx) => ctx.t.closed))
present.hears(
  ['person', 'mtu'],
  handOver((ctx) => ctx.t.wait, { for: '4h' }),
)
present.tapped(
  'person',
  handOver((ctx) => ctx.t.wait, { for: '4h' }),
)

people.use(present)
