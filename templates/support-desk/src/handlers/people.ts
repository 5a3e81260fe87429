/**
 * In opening hours a person answers; the bot is silent for four hours, or until the customer says "menu". At other times
 * the customer waits at the desk until the morning, and the bot continues.
 */
import { routes } from 'switchhook'
import { handOver, openingHours, resume } from 'switchhook/comfort'
import type { localized } from '../base.ts'
import { HOURS } from './hours.ts'
import { menuIn } from './menu.ts'

export const people = routes<typeof localized>('people')

// The way back. At other times every other text gets the menu.
people.whileTakenOver((b) =>
  b.hears(
    ['menu', 'menyu'],
    resume((ctx) => menuIn(ctx.t)),
  ),
)

const present = routes<typeof localized>('present')
present.use(
  openingHours(HOURS, async (ctx) => {
    await ctx.askForPerson()
    return ctx.t.closed
  }),
)
present.hears(
  ['person', 'mtu'],
  handOver((ctx) => ctx.t.wait, { for: '4h' }),
)
present.tapped(
  'person',
  handOver((ctx) => ctx.t.wait, { for: '4h' }),
)

people.use(present)
