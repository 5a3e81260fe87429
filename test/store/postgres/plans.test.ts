import { Client } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { usedDatabase } from '../postgres-backend.ts'
import { send, T0 } from '../samples.ts'
import { openThrough } from './through.ts'

const OF_APP = 2_000
const ALL = 20_000

it('pruning finds the sends of the app by their cause, and does not read past the replies behind them [F-59]', async () => {
  const { url } = await usedDatabase()
  const asked: string[] = []
  const store = await openThrough(url, (app, query) => {
    asked.push(query.text)
    return app.query(query)
  })
  const client = new Client({ connectionString: url, options: '-c search_path=switchhook' })
  await client.connect()
  onTestFinished(() => client.end())
  await store.openSend(send())
  const same =
    'number, run, followed, via, body, attempts, next_at, possibly_twice, diverged, reply, marketing, withheld, created_at'
  await client.query(`
    INSERT INTO sends (seq, id, key, customer, lane, slot, state, cause, ${same})
    SELECT 10 + i, i, i, i, i, i, 'refused', CASE WHEN i <= ${OF_APP} THEN 'app' ELSE 'upstream:' || i END, ${same}
    FROM generate_series(1, ${ALL}) AS i, sends`)
  await client.query('ANALYZE sends')
  const ages = { bytesBefore: T0, idsBefore: T0, now: T0, limit: 100 }
  await store.prune({ ...ages, after: { stage: 'sends', at: [0] } })
  const [text = ''] = asked.filter((one) => one.includes('FROM sends WHERE cause = '))
  const beforeIt = asked.slice(0, asked.indexOf(text)).findLast((one) => one.startsWith('BEGIN '))
  expect(beforeIt).toContain(`set_config('plan_cache_mode', 'force_generic_plan', true)`)
  await client.query(`SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; PREPARE pruned AS ${text}`)
  const { rows } = await client.query(`EXPLAIN EXECUTE pruned(${T0}, 'app', ${OF_APP}, 100, 100)`)
  expect(rows.map((row: Record<string, unknown>) => row['QUERY PLAN']).join('\n')).toMatch(
    /using sends_cause on sends.*\n.*\(cause = \$2\) AND \(seq > \$3\)/,
  )
})
