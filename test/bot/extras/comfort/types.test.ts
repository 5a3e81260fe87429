import { beforeAll, expect, it } from 'vitest'
import { compile } from '../../../support/compile.ts'

const HEAD = `
import { z } from 'zod'
import { createBot, routes } from 'switchhook'
import { handOver, openingHours, quietWhilePeopleWrite, startSending, stopSending, resume } from 'switchhook/comfort'
const plain = createBot()
const shop = createBot({ session: z.object({ lang: z.enum(['sw', 'en']).default('sw')}) })
const two = createBot({ numbers: { retail: { accessToken: 'a' }, wholesale: { accessToken: 'b' } } })
`

const FITS = `${HEAD}
for (const bot of [plain, shop] as const) quietWhilePeopleWrite(bot, { for: '1h' })
quietWhilePeopleWrite(two, { for: '1h', byPerson: (json) => json !== undefined })
quietWhilePeopleWrite(routes<typeof shop>(), { for: '1h' })
const desk = shop.with((ctx) => ({ t: { wait: ctx.session.lang } }))
desk.hears('person', handOver((ctx) => ctx.t.wait, { for: '4h' }))
desk.tapped('order:{id}', handOver((ctx) => ctx.params.id, { for: '4h' }))
desk.hears(/a(b)/, resume((ctx) => ctx.match[1] ?? ''))
desk.use(openingHours({ zone: 'UTC', mon: '9:00-17:00' }, (ctx) => ctx.t.wait))
desk.hears('stop', stopSending((ctx) => ctx.t.wait)).hears('start', startSending('x'))
plain.hears('stop', stopSending('x'))
plain.hears('person', handOver('x', { for: '4h' }))
plain.on('message.sent', async (ctx) => { const by: 'bot' | 'other' | 'unclear' = await ctx.sentBy(); return by })
`

const WRONG = `${HEAD}
plain.on('order.paid', (ctx) => ctx.sentBy())
`

/** Both files are compiled at once: starting the compiler is most of the work. */
let errors: string[]
beforeAll(() => {
  const output = compile({ 'fits.ts': FITS, 'wrong.ts': WRONG })
  errors = output.split('\n').filter((line) => line.includes('error TS'))
})

it('comfort fits every bot: with a session, with vars, with several numbers, and with routes in other modules', () => {
  expect(errors.filter((line) => !line.includes('/wrong.ts('))).toEqual([])
})

it('the compiler refuses who sent a message in the handler of another event', () => {
  const wrong = errors.filter((line) => line.includes('/wrong.ts('))
  expect(wrong).toHaveLength(1)
  expect(wrong[0]).toMatch(/Property 'sentBy' does not exist/)
})
