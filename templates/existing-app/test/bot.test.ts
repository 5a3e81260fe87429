/** The bot and the shop's service class with their own service, database and clock, all in this process. */
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Scenario, scenario } from 'switchhook/testing'
import { templates } from '../dev/templates.ts'
import { bot } from '../src/bot.ts'
import { orderRoutes } from '../src/handlers/orders.ts'
import { OrdersService } from '../src/orders-service.ts'
import { ordersInMemory } from '../src/orders.ts'
import { TEMPLATES, WORDS } from '../src/words.ts'
import recorded from './fixtures/order-number.json' with { type: 'json' }

const ASHA = '255712000101'
const JUMA = '255712000102'

let s: Scenario
const orders = new OrdersService(ordersInMemory(), bot)
bot.use(orderRoutes(orders))

beforeEach(async () => {
  s = await scenario(bot, { templates })
})
afterEach(() => s.close())

it('tells how far an order is', async () => {
  const asha = s.customer(ASHA)
  expect((await asha.says('hello')).text).toBe(WORDS.which)
  expect((await asha.says('7781')).text).toBe(WORDS.order('7781', WORDS.states.packing))
  expect((await asha.says('9999')).text).toBe(WORDS.unknown('9999'))
})

it('understands a delivery as it was recorded', async () => {
  const asha = s.customer(ASHA)
  await asha.says('hello') // opens the window for replies
  await s.event(recorded.event, recorded.payload)
  expect(asha.last?.text).toBe(WORDS.order('7781', WORDS.states.packing))
})

it('sends the template, once, to a customer who has not written, and learns that it arrived', async () => {
  await orders.ready('7781')
  await orders.ready('7781')
  await s.advance('1s')
  const arrived = s.customer(ASHA).thread.filter(({ refused }) => !refused)
  expect(arrived).toMatchObject([{ template: { name: 'order_ready', body: ['7781'] } }])
  expect((await orders.find('7781'))?.told).toBe('delivered')
})

it('reminds tomorrow of what is not collected, and of nothing else', async () => {
  const [asha, juma] = [s.customer(ASHA), s.customer(JUMA)]
  await orders.ready('7781')
  await orders.ready('7782')
  await orders.collected('7781')
  await s.advance('23h')
  expect(juma.last?.text).toBe(TEMPLATES.order_ready.replace('{{1}}', '7782'))
  await s.advance('2h')
  expect(juma.last?.text).toBe(TEMPLATES.pickup_reminder.replace('{{1}}', '7782'))
  expect(asha.last?.text).toBe(TEMPLATES.order_ready.replace('{{1}}', '7781'))
})
