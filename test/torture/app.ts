/**
 * A bot as a process of its own, which stands still at a named point so that it can be killed just there. It
 * answers every message, notes when each of its handlers starts and ends, and tells its parent how far it is.
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

/** Where it can stand still. */
export type Point =
  /** A delivery is committed, and not answered. */
  | 'accepted'
  /** A delivery is answered, and not sorted. */
  | 'answered'
  /** A handler runs. */
  | 'handling'
  /** A send is asked for, and not committed. */
  | 'recording'
  /** The reply's attempt is committed, and no byte has left. */
  | 'attempting'
  /** The bytes of the reply have left, and the service is at it. */
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

/** What it tells its parent. */
export type Word =
  | { says: 'listening'; url: string }
  | { says: 'at'; point: Point; what: string }
  | { says: 'settled'; as: string }
  | { says: 'idle'; items: Counts }

const environment = process.env
const standAt = environment['TORTURE_STAND_AT'] as Point | undefined
/** Where the send to each of these customers stands still. */
const standFor = JSON.parse(environment['TORTURE_STAND_FOR'] ?? '{}') as Record<string, Point>
const onUnknown = environment['TORTURE_ON_UNKNOWN'] === 'hold' ? 'hold' : 'repeat'
const speed = Number(environment['TORTURE_SPEED'])
const epoch = Number(environment['TORTURE_EPOCH'])

const clock = () => new Date(epoch + (Date.now() - epoch) * speed)
const timers: Timers = {
  after(ms, run) {
    const timer = setTimeout(run, ms / speed)
    return () => clearTimeout(timer)
  },
}

const bot = assemble({ logger: false, clock, fetch: sending, onUnknown }, { timers, open })

bot.hears('hang', async (ctx) => {
  note('start', ctx)
  if (ctx.attempt > 1) return note('end', ctx)
  tell({ says: 'at', point: 'handling', what: 'hang' })
  await new Promise(() => {})
})

/** `tell 255…` writes to somebody who never wrote, so that only a template may be sent. */
bot.hears(/^tell (\d+)$/, async (ctx) => {
  const outsideWindow = template('order_ready', 'en', { body: ['7'] })
  await ctx.to(ctx.message.text?.slice('tell '.length) ?? '').send('Order 7 is ready.', { outsideWindow })
})

/** Its first attempt goes on when the parent says so, however late that is. */
bot.hears('slow', async (ctx) => {
  note('start', ctx)
  if (ctx.attempt === 1) {
    tell({ says: 'at', point: 'handling', what: 'slow' })
    const told = new Promise((goOn) => process.once('message', goOn))
    process.channel?.unref()
    await told
  }
  await ctx.reply(`Attempt ${ctx.attempt}`)
  note('end', ctx)
})

bot.otherwise(async (ctx) => {
  note('start', ctx)
  await stand('handling', ctx.message.text ?? '')
  if (environment['SWITCHHOOK_BASE_URL']) await ctx.reply(`You said: ${ctx.message.text}`)
  else await work(Math.random() * 4)
  note('end', ctx)
})

const { url } = await serve(bot, { port: Number(environment['TORTURE_PORT']) })
// A killed process would leave nothing for the next one.
flushCompileCache()
tell({ says: 'listening', url })
process.once('disconnect', () => process.exit())
process.channel?.unref()

/** The store, with its points to stand at, and a word whenever no item waits. */
function open(database: string): Store {
  const store = openSqlite(database, { timers })
  const customerOf = async (send: string) => (await store.send(send))?.customer ?? ''
  return {
    ...store,
    async accept(delivery) {
      const accepted = await store.accept(delivery)
      await stand('accepted', delivery.deliveryId ?? '')
      return accepted
    },
    async pending(limit) {
      // What stands before its answer must not be handled behind its back.
      const found = standAt === 'accepted' ? [] : await store.pending(limit)
      for (const delivery of found) await stand('answered', delivery.deliveryId)
      return found
    },
    async settleItem(...settling) {
      await stand('replied', String(settling[1]))
      await standFrom('replied', settling[0].lane.split('/')[1] ?? '')
      const settled = await store.settleItem(...settling)
      tell({ says: 'settled', as: settled.held ? settling[2].as : 'lost' })
      if (!settled.next) await tellIfIdle(store)
      return settled
    },
    async openSend(...opening) {
      await standFrom('recording', opening[0].customer)
      return store.openSend(...opening)
    },
    async beginSend(...beginning) {
      if (beginning[2] === 'template') await standFrom('turned', await customerOf(beginning[1]))
      return store.beginSend(...beginning)
    },
    async settleSend(...settling) {
      const [, send, { as }] = settling
      await stand('accepted by the service', send)
      if (as === 'accepted') await standFrom('accepted by the service', await customerOf(send))
      if (as === 'fall_back') await standFrom('falling back', await customerOf(send))
      return store.settleSend(...settling)
    },
  }
}

async function tellIfIdle(store: Store): Promise<void> {
  const { items } = await store.counts()
  const waiting = (items['stored'] ?? 0) + (items['running'] ?? 0) + (items['retry'] ?? 0)
  if (waiting === 0) tell({ says: 'idle', items })
}

async function sending(...call: Parameters<typeof fetch>): Promise<Response> {
  const key = new Headers(call[1]?.headers).get('idempotency-key') ?? ''
  await stand('attempting', key)
  const body = (call[1]?.body ?? '{}') as string
  const { to = '' } = JSON.parse(body) as { to?: string }
  const falls = key.endsWith(':fallback')
  await standFrom(falls ? 'attempting the fallback' : 'attempting', to)
  const asked = fetch(...call)
  await standFrom('in flight', to)
  const answer = await asked
  await stand('sent', key)
  if (!answer.ok) return answer
  await standFrom(falls ? 'fallback sent' : 'sent', to)
  return answer
}

/** As `stand`, where this is the point of that customer. */
function standFrom(point: Point, customer: string): Promise<void> {
  if (standFor[customer] !== point) return Promise.resolve()
  tell({ says: 'at', point, what: customer })
  return new Promise(() => {})
}

function stand(point: Point, what: string): Promise<void> {
  if (point !== standAt) return Promise.resolve()
  tell({ says: 'at', point, what })
  return new Promise(() => {})
}

function note(
  what: 'start' | 'end',
  ctx: { customer: string; message: { text: string | undefined }; attempt: number },
) {
  const { customer, attempt } = ctx
  const line = { what, customer, text: ctx.message.text, attempt, pid: process.pid, at: clock().getTime() }
  appendFileSync(environment['TORTURE_NOTES'] ?? '', `${JSON.stringify(line)}\n`)
}

function tell(word: Word): void {
  if (process.connected) process.send?.(word)
}
