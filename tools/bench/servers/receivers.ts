/**
 * One contender in its own process. `ours` is the mounted, durable, dispatching receiver; `plain` is Express with
 * express.raw and an HMAC, which stores nothing; `insert` is the same with one row in SQLite for each request. Those
 * named `-reply` answer each delivery with a message, sent to the service. `ours-counted` counts its statements.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import Database from 'better-sqlite3'
import express, { type Request } from 'express'
import { createBot } from 'switchhook'
import { webhook } from 'switchhook/express'
import { countStatements } from '../count.ts'
import { serve } from '../serve.ts'

const [, , contender, secret = '', database = '', service = ''] = process.argv
const REPLY = 'Bei ya viatu ni 35,000. Tunafungua saa tatu asubuhi.'
const PATH = '/webhooks/messages'
const app = express()
let handled = 0

if (contender?.startsWith('ours')) await ours()
else if (contender === 'plain') plain(() => {})
else if (contender === 'plain-reply') plain(reply)
else if (contender === 'insert') plain(inserting())

async function ours(): Promise<void> {
  const counts = contender === 'ours-counted' || contender === 'ours-profiled' ? countStatements() : undefined
  const sending = service ? { baseUrl: service, accessToken: secret } : {}
  const bot = createBot({ signingSecret: secret, database, logger: false, ...sending })
  bot.otherwise(async (ctx) => {
    if (service) await ctx.reply(REPLY)
    handled++
  })
  await bot.start()
  app.use(PATH, webhook(bot))
  serve(app, {
    figures: () => ({ handled, ...(counts && { counts: counts() }) }),
    stop: () => bot.stop(),
  })
}

/** Verifies each delivery without a library, and does something before it answers: what a careful handler of thirty lines does. */
function plain(work: (request: Request<object, unknown, Buffer>) => void | Promise<void>): void {
  app.post(PATH, express.raw({ type: () => true, limit: '1mb' }), async (request, response) => {
    const timestamp = String(request.headers['x-service-timestamp'])
    const given = Buffer.from(String(request.headers['x-service-signature']).slice(7), 'hex')
    const mac = createHmac('sha256', secret).update(`${timestamp}.`).update(request.body).digest()
    const fresh = Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300
    if (!fresh || given.length !== mac.length || !timingSafeEqual(given, mac)) return response.sendStatus(401)
    await work(request)
    handled++
    return response.status(200).json({ status: 'accepted' })
  })
  serve(app, { figures: () => ({ handled }) })
}

async function reply(request: Request<object, unknown, Buffer>): Promise<void> {
  const { id, data } = JSON.parse(request.body.toString())
  const response = await fetch(`${service}/api/v2/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', 'idempotency-key': id },
    body: JSON.stringify({ to: data.from, text: REPLY }),
  })
  const answer = (await response.json()) as { id?: string }
  if (!response.ok || !answer.id) throw new Error(`the service answered ${response.status}`)
}

function inserting(): (request: Request<object, unknown, Buffer>) => void {
  const raw = new Database(database)
  raw.pragma('journal_mode = WAL')
  raw.pragma('synchronous = FULL')
  raw.exec('CREATE TABLE deliveries (id TEXT PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID')
  const insert = raw.prepare('INSERT INTO deliveries (id, body) VALUES (?, ?) ON CONFLICT DO NOTHING')
  return (request) => void insert.run(request.headers['x-service-delivery'], request.body)
}
