import { FACTS, type FactsRow, JOINED_FACTS } from '../../operations/sends/send-facts.ts'
import type { NewRow } from '../../operations/sends/sends.ts'
import { keyLock } from '../key-lock.ts'
import type { ColumnType } from './lists.ts'
import { nullable, type RowOf, rowsOf } from './rows.ts'
import { WHO } from './send-facts.ts'

/** A send that is asked for. */
export const ASKED_FOR = {
  ...WHO,
  key: 'text',
  lane: 'text',
  /** A transaction of the app's own may be recording a send under the same key. */
  of_app: 'boolean',
} as const

/** The facts of the send's customer, and what stands in the way of recording it; conditions as PostgreSQL has them. */
export interface LookedUpRow extends FactsRow {
  readonly known: boolean
  readonly taken: boolean
  readonly busy: boolean
  readonly restored: boolean
}

export const LOOK_UP = `
SELECT ${FACTS.text},
  (SELECT 1 FROM sends k WHERE k.key = who.key LIMIT 1) IS NOT NULL AS known,
  CASE WHEN who.of_app THEN NOT pg_try_advisory_xact_lock(${keyLock('who.key')}) ELSE false END AS taken,
  (SELECT 1 FROM lanes k WHERE k.key = who.lane LIMIT 1) IS NOT NULL AS busy,
  EXISTS (SELECT 1 FROM meta WHERE name = 'restored_upto') AS restored
FROM (SELECT * FROM ${rowsOf(ASKED_FOR)}) AS who ${JOINED_FACTS.text} ORDER BY who.n`

const SEND = {
  id: 'text',
  key: 'text',
  number: 'text',
  customer: 'text',
  lane: 'text',
  cause: 'text',
  slot: 'text',
  ref: nullable('text'),
  delivery: nullable('text'),
  state: 'text',
  via: 'text',
  body: 'text',
  fallback_key: nullable('text'),
  fallback_body: nullable('text'),
  attempts: 'bigint',
  first_attempt_at: nullable('bigint'),
  attempting_since: nullable('bigint'),
  next_at: 'bigint',
  message_id: nullable('text'),
  upstream_id: nullable('text'),
  code: nullable('text'),
  reason: nullable('text'),
  possibly_twice: 'bigint',
  diverged: 'bigint',
  created_at: 'bigint',
  settled_at: nullable('bigint'),
  asked: nullable('text'),
  due_at: nullable('bigint'),
  expires_at: nullable('bigint'),
  withheld: 'bigint',
  unless_muted: 'bigint',
  held_from: nullable('text'),
  awaited_until: nullable('bigint'),
  trace: nullable('text'),
} as const satisfies Record<keyof NewRow, ColumnType>

/** The row of a send, and what becomes of its lane. */
export const RECORDED = {
  ...SEND,
  lane_is: 'text',
  /** NULL, like those that follow, if no lane is made. */
  lane_ready_at: nullable('bigint'),
  lane_since: nullable('bigint'),
  lane_owner: nullable('text'),
  lane_token: nullable('bigint'),
} as const

export interface Recorded extends RowOf<typeof RECORDED> {
  /** `made`: it had none. `woken`: it has one, which may wait for something in it. `left`: the send does not go there yet. */
  readonly lane_is: 'made' | 'woken' | 'left'
}

const COLUMNS = Object.keys(SEND).join(', ')

/** Lanes that are there are locked; one that another has made meanwhile fails the insert, and the group is looked at anew. */
export const RECORD = `
WITH given AS MATERIALIZED (SELECT * FROM ${rowsOf(RECORDED)}),
made AS (
  INSERT INTO lanes (key, kind, number, ready_at, since, owner, token)
  SELECT lane, 'send', number, lane_ready_at, lane_since, lane_owner, lane_token
  FROM given WHERE lane_is = 'made' ORDER BY lane),
woken AS (
  UPDATE lanes l SET ready_at = l.blocked_until FROM given g
  WHERE l.key = g.lane AND g.lane_is = 'woken' AND l.owner IS NULL)
INSERT INTO sends (seq, ${COLUMNS})
SELECT nextval('sends_seq'), ${COLUMNS} FROM (SELECT * FROM given ORDER BY n) AS g`
