/**
 * How the tables grow under a steady load with default autovacuum: their size for each delivery that they hold, the dead rows
 * in them, and what a delivery costs, all the while. With a snapshot held open no dead row can be removed.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { createBot, signDelivery } from 'switchhook'
import { createEmulator } from 'switchhook/emulator'
import { serve } from 'switchhook/node'
import { z } from 'zod'
import { freePort } from '../../../test/support/free-port.ts'
import { startPostgres } from '../../../test/support/own-postgres.ts'
import { readPostgres } from '../../../test/support/read-postgres.ts'
import { deliveryBody, ulid } from '../requests.ts'
import { serverCpu } from './server-cpu.ts'

export interface Load {
  readonly minutes: number
  /** Deliveries a second. */
  readonly rate: number
  /** A transaction that only read once stays open all the while. */
  readonly snapshot: boolean
}

const CUSTOMERS = 1_000
const LOOKS = 12
const TICK_MS = 100
/** A machine that is slower than the rate gets no more than it handles. */
const MOST_WAITING = 500

export async function bloat({ minutes, rate, snapshot }: Load): Promise<void> {
  await using server = await startPostgres(['shared_buffers=256MB', 'full_page_writes=on'])
  const port = await freePort()
  await using emulator = await createEmulator()
  const { url: baseUrl, accessToken } = emulator
  for (let one = 0; one < CUSTOMERS; one++) await emulator.customer(customerOf(one)).says('the window is open')
  const signingSecret = 'a signing secret of some length'
  const session = z.object({ heard: z.number().default(0) })
  const bot = createBot({ database: server.url, baseUrl, accessToken, signingSecret, session, logger: false })
  let handled = 0
  let lags: number[] = []
  bot.otherwise(async (ctx) => {
    ctx.session.heard++
    await ctx.reply('Thank you.')
    handled += ctx.messages.length
    lags.push(Date.now() - ctx.event.receivedAt.getTime())
  })
  await serve(bot, { port })

  const holder = new Client(server.url)
  await holder.connect()
  if (snapshot) {
    await holder.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
    await holder.query('SELECT count(*) FROM switchhook.inbox')
  }
  const began = performance.now()
  const until = minutes * 60_000
  let posted = 0
  let refused = 0
  async function post(customer: string): Promise<void> {
    const id = ulid()
    const body = deliveryBody(id, Number(customer))
    const at = new Date()
    const headers = signDelivery({ body, secret: signingSecret, at, event: 'message.received', deliveryId: id })
    const posting = fetch(`http://127.0.0.1:${port}/webhooks/messages`, { method: 'POST', headers, body })
    // A connection that was idle may end just now.
    const status = await posting.then((answer) => answer.status).catch(() => undefined)
    if (status !== 200) refused++
  }
  let looks = 0
  let since = { handled, cpu: serverCpu(server.pid()) }
  /** Of the deliveries since the last look. */
  function cost(): string {
    const cpu = serverCpu(server.pid())
    const count = handled - since.handled
    const sorted = lags.toSorted((one, two) => one - two)
    const lag = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0
    const said = `${count} handled, ${((cpu - since.cpu) / count).toFixed(0)} us of the server's CPU each, ${lag(0.5)} ms behind at the median, ${lag(0.99)} of 99 in 100`
    since = { handled, cpu }
    lags = []
    return said
  }
  const under: Promise<void>[] = []
  for (let now = 0; now < until; now = performance.now() - began) {
    while (posted < (now / 1_000) * rate && posted - handled < MOST_WAITING)
      under.push(post(customerOf(posted++ % CUSTOMERS)))
    if (now >= ((looks + 1) * until) / LOOKS) console.log(cost(), await look(server.url, now, ++looks))
    await wait(TICK_MS)
    await Promise.all(under.splice(0))
  }
  console.log(`${posted} deliveries in ${minutes} min, ${refused} refused`)
  console.log(cost(), await look(server.url, until, LOOKS))
  await holder.end()
  await bot.stop()
}

function customerOf(index: number): string {
  return String(255_714_000_000 + index)
}

/** The size of each table with its indexes, its rows, those that are dead, and how often it was vacuumed. */
async function look(url: string, ms: number, nth: number): Promise<string> {
  const rows = await readPostgres(
    url,
    `SELECT relname AS name, pg_relation_size(relid)::bigint AS heap, pg_indexes_size(relid)::bigint AS indexes,
      n_live_tup AS live, n_dead_tup AS dead, n_tup_upd AS updated, n_tup_hot_upd AS in_place, autovacuum_count AS vacuums
    FROM pg_stat_user_tables WHERE schemaname = 'switchhook' AND n_tup_ins > 0 ORDER BY relname`,
  )
  const told = rows.map((row) =>
    Object.entries(row)
      .map(([name, value]) => `${name} ${String(value)}`)
      .join(', '),
  )
  return [`\nlook ${nth}, after ${(ms / 60_000).toFixed(1)} min`, ...told].join('\n  ')
}
