/** A pass of pruning over many customers: how long it takes, what the server works for it, and how long others wait. */
import { Client } from 'pg'
import { erasing, pruning } from '../../../src/store/maintenance/maintenance.ts'
import { openPostgres } from '../../../src/store/postgres/postgres-store.ts'
import { startPostgres } from '../../../test/support/own-postgres.ts'
import { readPostgres } from '../../../test/support/read-postgres.ts'
import { openSlowLine } from '../../../test/support/slow-line.ts'
import { waitsBeside } from './longest-wait.ts'
import { serverCpu } from './server-cpu.ts'

const DAY_MS = 86_400_000
const AGES = { bytes: 7 * DAY_MS, ids: 30 * DAY_MS }
const OLD_MS = 40 * DAY_MS
/** Of so many deliveries one has come to its age since the last pass, an hour ago. */
const HOURS_KEPT = 30 * 24

const CUSTOMERS = `
  INSERT INTO customers (number, customer, last_at, moved_at, session, session_version, session_expires_at)
  SELECT 'default', (255700000000 + n)::text, $2, $2, '{}', 1, $3 FROM generate_series(1, $1::bigint) n`
/** Notifications, under the app's own keys. */
const SENDS = `
  INSERT INTO sends (seq, id, key, number, customer, lane, place, run, followed, cause, slot, state, via, body, attempts,
    next_at, possibly_twice, diverged, reply, marketing, withheld, created_at, settled_at, message_id)
  SELECT n, 'send-' || n, 'key-' || n, 'default', (255700000000 + n)::text, 'default/' || (255700000000 + n) || '/out',
    NULL, 0, 0, 'app', n::text, 'accepted', 'template', '{}', 1, 0, 0, 0, 0, 0, 0, $2::bigint, $2::bigint, 'message-' || n
  FROM generate_series(1, $1::bigint) n`
/** Messages with their replies and statuses. */
const DELIVERIES = [
  `INSERT INTO inbox (id, idx, subscription, delivery_id, event, timestamp, digest, received_at, clock_offset, repeats,
    kind, number, customer, lane, at, cause, identity, claimant)
  SELECT n, 0, 'default', 'delivery-' || n, 'message.received', $2::bigint / 1000, decode(md5(n::text), 'hex'), $2::bigint,
    0, 0, 'message', 'default', (255700000000 + n)::text, 'default/' || (255700000000 + n), $2::bigint, 'cause-' || n,
    'identity-' || n, 'b'
  FROM generate_series(1, $1::bigint) n`,
  `INSERT INTO contents (id, body, facts)
  SELECT n, convert_to(repeat('b', 500), 'UTF8'), repeat('f', 200) FROM generate_series(1, $1::bigint) n
  WHERE $2::bigint IS NOT NULL`,
  SENDS.replace(`'app', n::text`, `'cause-' || n, 'reply'`),
  `INSERT INTO statuses (message, status, at, number, received_at)
  SELECT 'message-' || n, 'read', $2::bigint, 'default', $2::bigint FROM generate_series(1, $1::bigint) n`,
]

/** @param only the cases whose names have this word; all of them if it is empty. */
export async function prune(count: number, roundTripMs: number, only = ''): Promise<void> {
  const hour = Math.ceil(count / HOURS_KEPT)
  const now = Date.now()
  const young: Fill = (client) => client.query(CUSTOMERS, [count, now, now + DAY_MS])
  const cases: readonly [string, Fill][] = [
    ['customers, none old', young],
    ['customers, all old', (client) => client.query(CUSTOMERS, [count, now - OLD_MS, now - OLD_MS])],
    ['notifications, none old', (client) => client.query(SENDS, [count, now])],
    [
      `${hour.toLocaleString('en')} old deliveries with replies`,
      async (client) => {
        for (const text of DELIVERIES) await client.query(text, [hour, now - OLD_MS])
      },
    ],
  ]
  for (const [name, fill] of cases.filter((one) => one[0].includes(only)))
    await measure(`${count.toLocaleString('en')}: ${name}`, fill, roundTripMs)
}

type Fill = (client: Client) => Promise<unknown>

async function measure(name: string, fill: Fill, roundTripMs: number): Promise<void> {
  await using server = await startPostgres([
    'fsync=on',
    'full_page_writes=on',
    'shared_buffers=512MB',
    'max_wal_size=4GB',
  ])
  await using line = roundTripMs > 0 ? await openSlowLine(server.url, roundTripMs) : undefined
  const store = await openPostgres(line?.url ?? server.url)
  const client = new Client({ connectionString: server.url, options: '-c search_path=switchhook' })
  await client.connect()
  await fill(client)
  await client.query('VACUUM ANALYZE')
  await client.query('CHECKPOINT')
  await client.end()
  const now = Date.now()
  const began = performance.now()
  const cpu = serverCpu(server.pid())
  let steps = 0
  const waits = await waitsBeside(server.url, async () => {
    for await (const _ of pruning(store, { now, bytesBefore: now - AGES.bytes, idsBefore: now - AGES.ids })) steps++
    for await (const _ of erasing(store)) steps++
  })
  const rows = await readPostgres(
    server.url,
    'SELECT (SELECT count(*) FROM customers) + (SELECT count(*) FROM sends) + (SELECT count(*) FROM inbox) AS left',
  )
  console.log(
    [
      name,
      `round trip ${roundTripMs} ms`,
      `${((performance.now() - began) / 1000).toFixed(1)} s`,
      `server ${((serverCpu(server.pid()) - cpu) / 1e6).toFixed(1)} s`,
      `${steps} steps`,
      `others waited ${waits.longestMs.toFixed(0)} ms, 99 % ${waits.p99Ms.toFixed(1)} ms, ${waits.above} of ${waits.count} above 50 ms`,
      `${String(rows[0]?.['left'])} rows left`,
    ].join('; '),
  )
  await store.close()
}
