/** The desk: a menu in the customer's language, a person on request, and the way back. */
import { z } from 'zod'
import { buttons, createBot, routes } from 'switchhook'
import { handOver, openingHours, optOuts, quietWhilePeopleWrite, resume } from 'switchhook/comfort'
import { type Words, WORDS } from './words.ts'

export const bot = createBot({
  session: z.object({ lang: z.enum(['sw', 'en']).default('sw') }),
  staleAfter: '12h',
})
quietWhilePeopleWrite(bot, { for: '1h' })
// STOP and START, in every situation.
optOuts(bot, {
  stopped: (ctx) => WORDS[ctx.session.lang].stopped,
  started: (ctx) => WORDS[ctx.session.lang].started,
})

const HOURS = {
  zone: 'Africa/Dar_es_Salaam',
  mon: '9:00-17:00',
  tue: '9:00-17:00',
  wed: '9:00-17:00',
  thu: '9:00-17:00',
  fri: '9:00-17:00',
  sat: '9:00-13:00',
  holidays: ['2026-12-25', '2027-01-01'],
}

// All handlers below have `ctx.t`, the texts in the customer's language.
const desk = bot.with((ctx) => ({ t: WORDS[ctx.session.lang] }))

const menu = (t: Words) =>
  buttons(t.help, [
    { id: 'hours', title: t.hours },
    { id: 'person', title: t.person },
    { id: `lang:${t === WORDS.sw ? 'en' : 'sw'}`, title: t.other },
  ])

// While a person has the customer: the way back.
desk.whileTakenOver((b) =>
  b.hears(
    ['menu', 'menyu'],
    resume((ctx) => menu(ctx.t)),
  ),
)
desk.tapped('hours', (ctx) => ctx.reply(ctx.t.open))
desk.tapped('lang:{to}', (ctx) => {
  ctx.session.lang = ctx.params.to === 'en' ? 'en' : 'sw'
  return ctx.reply(menu(WORDS[ctx.session.lang]))
})

// A person answers in opening hours; the middleware applies only to these routes.
const people = routes<typeof desk>('people')
people.use(openingHours(HOURS, (ctx) => ctx.t.closed))
people.hears(
  ['person', 'mtu'],
  handOver((ctx) => ctx.t.wait, { for: '4h' }),
)
people.tapped(
  'person',
  handOver((ctx) => ctx.t.wait, { for: '4h' }),
)
desk.use(people)

desk.otherwise((ctx) => ctx.reply(menu(ctx.t)))
desk.onDead((_error, ctx) => ctx.reply(ctx.t.sorry))
