/** A bot that does over a database all that bots do: it answers, fails, stores, sends notifications, prunes and is inspected. */
import { setTimeout as wait } from 'node:timers/promises'
import { createBot, signDelivery } from 'switchhook'
import { createEmulator } from 'switchhook/emulator'
import { serve } from 'switchhook/node'
import { z } from 'zod'
import { openPostgres } from '../../../src/store/postgres/postgres-store.ts'
import { freePort } from '../../../test/support/free-port.ts'
import { readPostgres } from '../../../test/support/read-postgres.ts'
import { deliveryBody, ulid } from '../requests.ts'
import { each } from './contender.ts'
import { FIRST } from './fill.ts'

export interface Life extends AsyncDisposable {
  /** So many customers write, all are answered, and statuses tell of it. */
  converse(messages: number): Promise<void>
  /** That, what the service sends again, maintenance to its end, and what a person looks at. */
  all(): Promise<void>
  stop(): Promise<void>
}

const LOOK_EVERY_MS = 200
const MESSAGES = 300
/** Every so manyth message fails once. */
const FAILS = 10

export async function openLife(database: string): Promise<Life> {
  const port = await freePort()
  const emulator = await createEmulator({ webhook: `http://127.0.0.1:${port}/webhooks/messages` })
  const { url: baseUrl, accessToken, signingSecret } = emulator
  const session = z.object({ heard: z.number().default(0) })
  const bot = createBot({ database, baseUrl, accessToken, signingSecret, session, logger: false })
  let left = 0
  let answered = Promise.withResolvers<void>()
  bot.otherwise(async (ctx) => {
    await ctx.once('looked up', () => 1)
    if (ctx.attempt === 1 && Number(ctx.customer) % FAILS === 0) throw new Error('as planned')
    ctx.session.heard++
    await ctx.reply('Thank you.')
    if (--left === 0) answered.resolve()
  })
  await serve(bot, { port })

  async function converse(messages: number): Promise<void> {
    left = messages
    answered = Promise.withResolvers()
    for (const customer of customers(messages)) await emulator.customer(customer).says('hello')
    await answered.promise
    await bot.to(customers(1)[0] as string).send('Your order is ready.', { key: `order ${Date.now()}` })
  }

  async function all(): Promise<void> {
    await converse(MESSAGES)
    const deliveries = customers(MESSAGES).map((customer) => {
      const id = ulid()
      return { id, customer, body: deliveryBody(id, Number(customer)) }
    })
    left = deliveries.length
    answered = Promise.withResolvers()
    for (const _ of [1, 2])
      await each(deliveries, async ({ id, body }) => {
        const at = new Date()
        const headers = signDelivery({ body, secret: signingSecret, at, event: 'message.received', deliveryId: id })
        await fetch(`http://127.0.0.1:${port}/webhooks/messages`, { method: 'POST', headers, body })
      })
    await answered.promise
    await pruned(database)
    await lookAt(database)
  }

  let stopped: Promise<void> | undefined
  const stop = () =>
    (stopped ??= (async () => {
      await bot.stop()
      await emulator.close()
    })())
  return { converse, all, stop, [Symbol.asyncDispose]: stop }
}

function customers(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => String(255_713_000_001 + index))
}

/** Resolves when the oldest delivery that was filled in has gone. */
async function pruned(database: string): Promise<void> {
  while ((await readPostgres(database, `SELECT 1 FROM inbox WHERE id = ${FIRST}`)).length > 0) await wait(LOOK_EVERY_MS)
}

/** Reads of the commands, of health and of the scrape; counts of all there is are meant to read all. */
async function lookAt(database: string): Promise<void> {
  const store = await openPostgres(database)
  const now = store.clock()
  await store.waitingSince(now)
  await store.nextDueAt()
  await store.waiting()
  await store.unread(10)
  await store.lastClockOffset()
  await store.closedThrottles(now)
  const { deliveries } = await store.listDeliveries({ limit: 20 })
  const [delivery] = deliveries
  if (delivery) await store.deliveryDetail(delivery.seq)
  await store.deliveriesWithId(`filled-${FIRST + 5_000}`)
  await store.recordedDeliveries({ after: 0, limit: 20 })
  const { sends } = await store.listSends({ limit: 20 })
  const [send] = sends
  if (send) await store.statusesOf(send)
  await store.findSend({ id: `filled-${FIRST + 5_000}` })
  await store.close()
}
