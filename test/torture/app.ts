/**
 * A bot as a process of its own, which stands still at a named point so that it can be killed just there. It
 * answers every message, notes when each of its handlers starts and ends, and tells its parent how far it is.
 */
import { appendFileSync } from 'node:fs'
import { setTimeout as work } from 'node:timers/promises'
import { serve } from 'switchhook/node'
import type { Timers } from '../../src/base/clock.ts'
import { assemble } from '../../src/bot.ts'
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
  /** The reply's attempt is committed, and no byte has left. */
  | 'attempting'
  /** The service took the reply, and its answer has not arrived. */
  | 'sent'
  /** The service's answer is here, and not recorded. */
  | 'accepted by the service'
  /** The handler is done, its reply is recorded as accepted, and the item is not settled. */
  | 'replied'

/** What it tells its parent. */
export type Word =
  | { says: 'listening'; url: string }
  | { says: 'at'; point: Point; what: string }
  | { says: 'settled'; as: string }
  | { says: 'idle'; items: Counts }

const environment = process.env
const standAt = environment['TORTURE_STAND_AT'] as Point | undefined
const speed = Number(environment['TORTURE_SPEED'])
const epoch = Number(environment['TORTURE_EPOCH'])

const clock = () => new Date(epoch + (Date.now() - epoch) * speed)
const timers: Timers = {
  after(ms, run) {
    const timer = setTimeout(run, ms / speed)
    return () => clearTimeout(timer)
  },
}

const bot = assemble({ logger: false, clock, fetch: sending }, { timers, open })

bot.hears('hang', async (ctx) => {
  note('start', ctx)
  if (ctx.attempt > 1) return note('end', ctx)
  tell({ says: 'at', point: 'handling', what: 'hang' })
  await new Promise(() => {})
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
tell({ says: 'listening', url })
process.once('disconnect', () => process.exit())
process.channel?.unref()

/** The store, with its points to stand at, and a word whenever no item waits. */
function open(database: string): Store {
  const store = openSqlite(database, { timers })
  return {
    ...store,
    async accept(delivery) {
      const accepted = await store.accept(delivery)
      await stand('accepted', delivery.deliveryId ?? '')
      return accepted
    },
    async unsorted(limit) {
      // What stands before its answer must not be handled behind its back.
      const found = standAt === 'accepted' ? [] : await store.unsorted(limit)
      for (const delivery of found) await stand('answered', delivery.deliveryId)
      return found
    },
    async settleItem(...settling) {
      await stand('replied', String(settling[1]))
      const settled = await store.settleItem(...settling)
      tell({ says: 'settled', as: settled.held ? settling[2].as : 'lost' })
      if (!settled.next) await tellIfIdle(store)
      return settled
    },
    async settleSend(...settling) {
      await stand('accepted by the service', settling[1])
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
  const answer = await fetch(...call)
  await stand('sent', key)
  return answer
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
