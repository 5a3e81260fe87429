import { z } from 'zod'
import { createBot, routes } from 'switchhook'
import { handOver, openingHours, optOuts, quietWhilePeopleWrite, resume } from 'switchhook/comfort'

// Comfort fits every bot: with a session, with vars, with several numbers, and with routes in other modules.
const plain = createBot()
const shop = createBot({ session: z.object({ lang: z.enum(['sw', 'en']).default('sw') }) })
const two = createBot({ numbers: { retail: { accessToken: 'a' }, wholesale: { accessToken: 'b' } } })
for (const bot of [plain, shop] as const) quietWhilePeopleWrite(bot, { for: '1h' })
quietWhilePeopleWrite(two, { for: '1h', byPerson: (json) => json !== undefined })
quietWhilePeopleWrite(routes<typeof shop>(), { for: '1h' })
const desk = shop.with((ctx) => ({ t: { wait: ctx.session.lang } }))
desk.hears('person', handOver((ctx) => ctx.t.wait, { for: '4h' }))
desk.tapped('order:{id}', handOver((ctx) => ctx.params.id, { for: '4h' }))
desk.hears(/a(b)/, resume((ctx) => ctx.match[1] ?? ''))
desk.use(openingHours({ zone: 'UTC', mon: '9:00-17:00' }, (ctx) => ctx.t.wait))
optOuts(shop, { stopped: (ctx) => ctx.session.lang, started: async () => 'x', also: ['basta'], without: ['acha'] })
optOuts(two)
// @ts-expect-error what with() adds is not there: the words come before all middleware
optOuts(shop, { stopped: (ctx) => ctx.t.wait })
plain.hears('person', handOver('x', { for: '4h' }))
plain.on('message.sent', async (ctx) => { const by: 'bot' | 'other' | 'unclear' = await ctx.sentBy(); return by })
// @ts-expect-error only message.sent knows who sent a message
plain.on('order.paid', (ctx) => ctx.sentBy())
