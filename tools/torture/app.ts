/**
 * A bot in its own process. It halts at a named point, so that it can be killed exactly there, or dies at its nth
 * passage; it answers and counts every message, notes when each of its handlers and sends starts and ends, and reports
 * its progress to its parent.
 */
import { appendFileSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { setTimeout as work } from 'node:timers/promises'
import { template } from 'switchhook'
import { serve } from 'switchhook/node'
import { z } from 'zod'
import type { Timers } from '../../src/base/clock.ts'
import { assemble } from '../../src/bot/bot.ts'
import { createReports } from '../../src/bot/report/reports.ts'
import type { Store } from '../../src/store/store.ts'
import { openPostgres } from '../../src/store/postgres/postgres-store.ts'
import type { StoreAlarm } from '../../src/store/sqlite/open-file.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite-store.ts'
import { act, type Act, type Acted } from './acts.ts'
import { failingHooks, failingLogger, oddity } from './oddities.ts'
import { tellParent } from '../../test/support/tell-parent.ts'
import type { Counts } from '../../src/store/reads/overview.ts'

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
  | { kind: 'stepped'; by: number }
  | { kind: 'idle'; items: Counts }
  /** The service took a message, and its answer is not recorded yet. */
  | { kind: 'took'; message: string; upstream: string | undefined; customer: string }
  /** An operation was refused for what another one wrote at the same time, and was not repeated. */
  | { kind: 'refused'; operation: string; code: string }
  | Acted
  /** The app closed its file after a failure, or has opened it again. */
  | { kind: 'file'; open: boolean }

const environment = process.env
const haltAt = environment['TORTURE_HALT_AT'] as Point | undefined
/** The point at which the send to each of these customers halts. */
const haltFor = JSON.parse(environment['TORTURE_HALT_FOR'] ?? '{}') as Record<string, Point>
const onUnknown = environment['TORTURE_ON_UNKNOWN'] === 'hold' ? 'hold' : 'repeat'
const speed = Number(environment['TORTURE_SPEED'])
const epoch = Number(environment['TORTURE_EPOCH'])

/** The parent's orders. The process suspends itself between two tasks: stopped from outside, it might hold a lock. */
export type Order =
  | { readonly do: 'resume' | 'suspend' }
  /** The process ends at this passage of the point, in whichever lane, as by SIGKILL, or stands still. */
  | { readonly do: 'die' | 'stand'; readonly at: Point; readonly passage: number }
  | { readonly do: 'act'; readonly act: Act; readonly nth: number }
  /** The wall clock is now so many milliseconds ahead of where it would be. */
  | { readonly do: 'step'; readonly ahead: number }
const resumed = Promise.withResolvers<void>()
let end: { readonly do: 'die' | 'stand'; readonly at: Point; passage: number } | undefined
let ahead = Number(environment['TORTURE_CLOCK_AHEAD'] ?? 0)
process.on('message', (order: Order) => {
  if (order.do === 'resume') resumed.resolve()
  if (order.do === 'suspend') process.kill(process.pid, 'SIGSTOP')
  if (order.do === 'die' || order.do === 'stand') end = { ...order }
  if (order.do === 'act') void act(bot, order.act, order.nth)
  if (order.do !== 'step') return
  ahead = order.ahead
  report({ kind: 'stepped', by: ahead })
})
process.channel?.unref()

/** Real time, whatever the process takes its time to be. */
const realTime = Date.now
const wall = () => epoch + (realTime() - epoch) * speed + ahead
const monotonic = () => performance.now() * speed
// The option `clock` would take the place of the store's clock too, which no step of the machine's moves back.
Date.now = wall
const timers: Timers = {
  after(ms, run) {
    const timer = setTimeout(run, ms / speed)
    return () => clearTimeout(timer)
  },
}

// However slow the machine is, no handler is cut off, and no message dies of the crashes that it meets.
const attempts = { deadline: '1h', max: 100 } as const
/** The messages of a customer that were handled: written with the settlement, so each counts once. */
const session = z.object({ handled: z.number().default(0), outside: z.number().default(0) })
/** Handlers throw what is no error, and the logger and all hooks fail. */
const isOdd = environment['TORTURE_ODD'] !== undefined
const quiet = environment['TORTURE_QUIET']
const burst = quiet === undefined ? undefined : { quiet: Number(quiet) }
const bot = assemble(
  {
    logger: isOdd && failingLogger(),
    fetch: sending,
    onUnknown,
    attempts,
    session,
    ...(burst && { burst }),
  },
  { timers, open, monotonic, createReports: failingReports },
)

if (isOdd) bot.observe(failingHooks())
// The last attempt of these is their first.
bot.onError((_error, ctx) => (Buffer.from(ctx.event.raw).includes(' dies"') ? 'dead' : undefined))

/** Behind a commit everything throws: no message may be lost by that. */
function failingReports(...given: Parameters<typeof createReports>): ReturnType<typeof createReports> {
  const { deliveries, sends, ...others } = createReports(...given)
  const fail = () => {
    throw new Error('no report')
  }
  return {
    ...others,
    deliveries: { ...deliveries, ingested: fail, settled: fail },
    sends: { ...sends, settled: fail },
  }
}

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

/** The first attempt continues when the parent says so, however late that is. */
bot.hears('slow', async (ctx) => {
  note('start', ctx)
  if (ctx.attempt === 1) {
    report({ kind: 'at', point: 'handling', what: 'slow' })
    await resumed.promise
  }
  await ctx.reply(`Attempt ${ctx.attempt}`)
  note('end', ctx)
})

/** Customers whom people take over meanwhile. */
bot.hears(/^guest /, () => {})

bot.on('message.status:delivered', () => {})

bot.otherwise(async (ctx) => {
  note('start', ctx)
  await reach('handling', { what: ctx.message.text ?? '', customer: ctx.customer })
  try {
    if (ctx.message.text?.endsWith('dies')) throw oddity()
    if (ctx.attempt === 1 && ctx.message.text?.endsWith('fails')) throw isOdd ? oddity() : new Error('as planned')
    if (environment['SWITCHHOOK_BASE_URL'])
      await ctx.reply(`You said: ${ctx.messages.map(({ text }) => text).join(' + ')}`)
    else await work(Math.random() * 4)
  } catch (error) {
    note('failed', ctx)
    throw error
  }
  ;(ctx.session as z.infer<typeof session>).handled++
  note('end', ctx)
})

const { url } = await serve(bot, { port: Number(environment['TORTURE_PORT']) })
// A killed process would leave nothing for the next one.
flushCompileCache()
report({ kind: 'listening', url })
process.once('disconnect', () => process.exit())

/** The store with points to halt at; it reports whenever no item waits. */
async function open(database: string): Promise<Store> {
  const o = { timers, monotonic }
  const onFailure = (_line: string, alarm: StoreAlarm) => alarm !== 'log_grows' && report({ kind: 'file', open: false })
  const store: Store = database.startsWith('postgres:')
    ? watched(await openPostgres(database, o))
    : openSqlite(database, { ...o, onFailure })
  store.onWork((work) => work === 'recheck' && report({ kind: 'file', open: true }))
  const customerOf = async (send: string) => (await store.findSend({ id: send }))?.customer ?? ''
  return {
    ...store,
    async accept(delivery, o) {
      // A delivery that halts between its answer and its ingest must not be ingested with its acceptance.
      const accepted = await store.accept(delivery, haltAt === 'answered' ? undefined : o)
      await reach('accepted', { what: delivery.deliveryId ?? '' })
      return accepted
    },
    async unread(...asked) {
      const found = await store.unread(...asked)
      for (const delivery of found) await reach('answered', { what: delivery.deliveryId })
      return found
    },
    async settleItem(...settling) {
      await reach('replied', { what: String(settling[1]), customer: settling[0].lane.split('/')[1] ?? '' })
      const settled = await store.settleItem(...settling)
      report({ kind: 'settled', as: settled.stands ? settling[2].as : 'lost' })
      if (!settled.next) await reportIfIdle(store)
      return settled
    },
    async openSend(...opening) {
      await reach('recording', { customer: opening[0].customer })
      return store.openSend(...opening)
    },
    async beginSend(...beginning) {
      if (beginning[2] === 'template') await reach('turned', { customer: await customerOf(beginning[1]) })
      return store.beginSend(...beginning)
    },
    async settleSend(...settling) {
      const [, send, { as }] = settling
      if (as === 'accepted') await reach('accepted by the service', { what: send, customer: await customerOf(send) })
      if (as === 'fall_back') await reach('falling back', { customer: await customerOf(send) })
      const settled = await store.settleSend(...settling)
      if (settled.stands) noteSend('settled', send, as)
      return settled
    },
  }
}

const NOT_REPEATED = /^(23505|40P01)$/

function watched(store: Store): Store {
  const operations = Object.entries(store).map(([operation, run]: [string, unknown]) => {
    if (typeof run !== 'function') return [operation, run]
    const watch = (...given: unknown[]): unknown => {
      const result: unknown = run(...given)
      if (result instanceof Promise) result.catch((error: unknown) => reportRefused(operation, error))
      return result
    }
    return [operation, watch]
  })
  return Object.fromEntries(operations) as Store
}

function reportRefused(operation: string, error: unknown): void {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as { code?: unknown }
    if (typeof code === 'string' && NOT_REPEATED.test(code)) return report({ kind: 'refused', operation, code })
  }
}

async function reportIfIdle(store: Store): Promise<void> {
  // A parent who reads the file needs no message.
  if (environment['TORTURE_SENDS']) return
  const { items } = await store.counts()
  const waiting = (items['stored'] ?? 0) + (items['running'] ?? 0) + (items['retry'] ?? 0)
  if (waiting === 0) report({ kind: 'idle', items })
}

async function sending(...call: Parameters<typeof fetch>): Promise<Response> {
  const key = new Headers(call[1]?.headers).get('idempotency-key') ?? ''
  const body = (call[1]?.body ?? '{}') as string
  const { to: customer = '' } = JSON.parse(body) as { to?: string }
  const falls = key.endsWith(':fallback')
  await reach(falls ? 'attempting the fallback' : 'attempting', { what: key, customer })
  noteSend('asked', key)
  const [url, init] = call as [string, RequestInit]
  const asked = fetch(reached(url), init)
  await reach('in flight', { customer })
  const answer = await asked
  noteSend('answered', key, String(answer.status))
  if (answer.ok && environment['TORTURE_SENDS']) await reportTaken(answer.clone(), customer)
  if (answer.ok) await reach(falls ? 'fallback sent' : 'sent', { what: key, customer })
  return answer
}

/** What cannot be read is no message. */
async function reportTaken(answer: Response, customer: string): Promise<void> {
  const { id, wa_message_id: upstream } = (await answer.json().catch(() => ({}))) as Record<string, string | undefined>
  if (id !== undefined) report({ kind: 'took', message: id, upstream, customer })
}

/** The emulator's address; a process on a node has another loopback than the emulator. */
function reached(url: string): string {
  const { pathname, search } = new URL(url)
  return new URL(pathname + search, environment['TORTURE_SERVICE'] ?? url).href
}

/** Reaches a point: continues, or halts there for good, or dies. */
function reach(point: Point, { what, customer = '' }: { what?: string; customer?: string }): Promise<void> {
  if (end?.at === point && --end.passage === 0) {
    if (end.do === 'stand') report({ kind: 'at', point, what: 'stands' })
    process.kill(process.pid, end.do === 'die' ? 'SIGKILL' : 'SIGSTOP')
  }
  if (haltAt !== point && haltFor[customer] !== point) return Promise.resolve()
  report({ kind: 'at', point, what: what ?? customer })
  return new Promise(() => {})
}

function note(
  what: 'start' | 'end' | 'failed',
  ctx: { customer: string; message: { text: string | undefined }; attempt: number },
) {
  const { customer, attempt } = ctx
  const line = { what, customer, text: ctx.message.text, attempt, pid: process.pid, at: realTime() }
  appendFileSync(environment['TORTURE_NOTES'] ?? '', `${JSON.stringify(line)}\n`)
}

/** A step of a send, known by its key while the service is asked, and by its id when it is settled. */
export interface SendNote {
  readonly what: 'asked' | 'answered' | 'settled'
  readonly of: string
  readonly as: string
  readonly pid: number
  readonly at: number
}

function noteSend(what: SendNote['what'], of: string, as = ''): void {
  const file = environment['TORTURE_SENDS']
  const line: SendNote = { what, of, as, pid: process.pid, at: realTime() }
  if (file) appendFileSync(file, `${JSON.stringify(line)}\n`)
}

function report(message: Report): void {
  tellParent(message)
}
