/**
 * A bot as a process of its own. It halts at a named point, so that it can be killed exactly there; it answers every
 * message, notes when each of its handlers starts and ends, and reports its progress to its parent.
 */
import { appendFileSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { setTimeout as work } from 'node:timers/promises'
import { template } from 'switchhook'
import { serve } from 'switchhook/node'
import type { Timers } from '../../src/base/clock.ts'
import { assemble } from '../../src/app/bot.ts'
import type { Counts, Store } from '../../src/stores/port/index.ts'
import { openSqlite } from '../../src/stores/sqlite/index.ts'

/** A point at which the process can halt. */
export type Point =
  /** A delivery is committed, with its item begun in the same commit, and not answered. */
  | 'accepted'
  /** A delivery that was not read before is answered, and not ingested. */
  | 'answered'
  /** A handler runs. */
  | 'handling'
  /** A send is called, and not committed. */
  | 'recording'
  /** The reply's attempt is committed, and no byte has left. */
  | 'attempting'
  /** The bytes of the reply have left, and the service processes them. */
  | 'in flight'
  /** The service took the reply, and its answer has not arrived. */
  | 'sent'
  /** The service's answer is here, and not recorded. */
  | 'accepted by the service'
  /** The handler is done, its reply is recorded as accepted, and the item is not settled. */
  | 'replied'
  /** The service refused the text outside the window, and that is not recorded. */
  | 'falling back'
  /** The template takes over, and its attempt is not committed. */
  | 'turned'
  /** The template's attempt is committed, and no byte has left. */
  | 'attempting the fallback'
  /** The service took the template, and its answer has not arrived. */
  | 'fallback sent'

/** A message to the parent process. */
export type Report =
  | { kind: 'listening'; url: string }
  | { kind: 'at'; point: Point; what: string }
  | { kind: 'settled'; as: string }
  | { kind: 'idle'; items: Counts }

const environment = process.env
const haltAt = environment['TORTURE_HALT_AT'] as Point | undefined
/** The point at which the send to each of these customers halts. */
const haltFor = JSON.parse(environment['TORTURE_HALT_FOR'] ?? '{}') as Record<string, Point>
const onUnknown = environment['TORTURE_ON_UNKNOWN'] === 'hold' ? 'hold' : 'repeat'
const speed = Number(environment['TORTURE_SPEED'])
const epoch = Number(environment['TORTURE_EPOCH'])

/** The parent's orders. The process suspends itself between two tasks: stopped from outside, it might hold a lock. */
export type Order = 'resume' | 'suspend'
const resumed = Promise.withResolvers<void>()
process.on('message', (order: Order) => {
  if (order === 'resume') resumed.resolve()
  else process.kill(process.pid, 'SIGSTOP')
})
process.channel?.unref()

const clock = () => new Date(epoch + (Date.now() - epoch) * speed)
const timers: Timers = {
  after(ms, run) {
    const timer = setTimeout(run, ms / speed)
    return () => clearTimeout(timer)
  },
}

// However slow the machine is, no handler is cut off.
const attempts = { deadline: '1h' } as const
const bot = assemble({ logger: false, clock, fetch: sending, onUnknown, attempts }, { timers, open })

bot.hears('hang', async (ctx) => {
  note('start', ctx)
  if (ctx.attempt > 1) return note('end', ctx)
  report({ kind: 'at', point: 'handling', what: 'hang' })
  await new Promise(() => {})
})

/** `tell 255…` writes to somebody who never wrote, so that only a template may be sent. */
bot.hears(/^tell (\d+)$/, async (ctx) => {
  const outsideWindow = template('order_ready', 'en', { body: ['7'] })
  await ctx.to(ctx.message.text?.slice('tell '.length) ?? '').send('Order 7 is ready.', { outsideWindow })
})

/** The first attempt goes on when the parent says so, however late that is. */
bot.hears('slow', async (ctx) => {
  note('start', ctx)
  if (ctx.attempt === 1) {
    report({ kind: 'at', point: 'handling', what: 'slow' })
    await resumed.promise
  }
  await ctx.reply(`Attempt ${ctx.attempt}`)
  note('end', ctx)
})

bot.otherwise(async (ctx) => {
  note('start', ctx)
  await haltIf('handling', ctx.message.text ?? '')
  if (environment['SWITCHHOOK_BASE_URL']) await ctx.reply(`You said: ${ctx.message.text}`)
  else await work(Math.random() * 4)
  note('end', ctx)
})

const { url } = await serve(bot, { port: Number(environment['TORTURE_PORT']) })
// A killed process would leave nothing for the next one.
flushCompileCache()
report({ kind: 'listening', url })
process.once('disconnect', () => process.exit())

/** The store with points to halt at; it reports whenever no item waits. */
function open(database: string): Store {
  const store = openSqlite(database, { timers })
  const customerOf = async (send: string) => (await store.findSend({ id: send }))?.customer ?? ''
  return {
    ...store,
    async accept(delivery, o) {
      // A delivery that halts between its answer and its ingest must not be ingested with its acceptance.
      const accepted = await store.accept(delivery, haltAt === 'answered' ? undefined : o)
      await haltIf('accepted', delivery.deliveryId ?? '')
      return accepted
    },
    async pending(limit) {
      const found = await store.pending(limit)
      for (const delivery of found) await haltIf('answered', delivery.deliveryId)
      return found
    },
    async settleItem(...settling) {
      await haltIf('replied', String(settling[1]))
      await haltForCustomer('replied', settling[0].lane.split('/')[1] ?? '')
      const settled = await store.settleItem(...settling)
      report({ kind: 'settled', as: settled.held ? settling[2].as : 'lost' })
      if (!settled.next) await reportIfIdle(store)
      return settled
    },
    async openSend(...opening) {
      await haltForCustomer('recording', opening[0].customer)
      return store.openSend(...opening)
    },
    async beginSend(...beginning) {
      if (beginning[2] === 'template') await haltForCustomer('turned', await customerOf(beginning[1]))
      return store.beginSend(...beginning)
    },
    async settleSend(...settling) {
      const [, send, { as }] = settling
      await haltIf('accepted by the service', send)
      if (as === 'accepted') await haltForCustomer('accepted by the service', await customerOf(send))
      if (as === 'fall_back') await haltForCustomer('falling back', await customerOf(send))
      return store.settleSend(...settling)
    },
  }
}

async function reportIfIdle(store: Store): Promise<void> {
  const { items } = await store.counts()
  const waiting = (items['stored'] ?? 0) + (items['running'] ?? 0) + (items['retry'] ?? 0)
  if (waiting === 0) report({ kind: 'idle', items })
}

async function sending(...call: Parameters<typeof fetch>): Promise<Response> {
  const key = new Headers(call[1]?.headers).get('idempotency-key') ?? ''
  await haltIf('attempting', key)
  const body = (call[1]?.body ?? '{}') as string
  const { to = '' } = JSON.parse(body) as { to?: string }
  const falls = key.endsWith(':fallback')
  await haltForCustomer(falls ? 'attempting the fallback' : 'attempting', to)
  const asked = fetch(...call)
  await haltForCustomer('in flight', to)
  const answer = await asked
  await haltIf('sent', key)
  if (!answer.ok) return answer
  await haltForCustomer(falls ? 'fallback sent' : 'sent', to)
  return answer
}

/** Halts if this is the point of that customer. */
function haltForCustomer(point: Point, customer: string): Promise<void> {
  if (haltFor[customer] !== point) return Promise.resolve()
  report({ kind: 'at', point, what: customer })
  return new Promise(() => {})
}

function haltIf(point: Point, what: string): Promise<void> {
  if (point !== haltAt) return Promise.resolve()
  report({ kind: 'at', point, what })
  return new Promise(() => {})
}

function note(
  what: 'start' | 'end',
  ctx: { customer: string; message: { text: string | undefined }; attempt: number },
) {
  const { customer, attempt } = ctx
  const line = { what, customer, text: ctx.message.text, attempt, pid: process.pid }
  appendFileSync(environment['TORTURE_NOTES'] ?? '', `${JSON.stringify(line)}\n`)
}

function report(message: Report): void {
  if (process.connected) process.send?.(message)
}
