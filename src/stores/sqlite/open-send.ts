import { createHash } from 'node:crypto'
import type { Fence, NewSend, OpenedSend } from '../port/index.ts'
import { joinsLane, openingOf, type SendStart, startOf } from '../rules/sends.ts'
import type { Tx } from './group-commit.ts'
import { AT_ONCE } from '../rules/lanes.ts'
import { cameBack } from './held-sends.ts'
import { holdsLane, wakeLane } from './lanes.ts'
import { lastMute } from './mutes.ts'
import { presentSend, type Row, rowByKey, sendOf } from './send-rows.ts'
import { throttleOf } from './throttles.ts'

const MARK_DIVERGED = 'UPDATE sends SET diverged = 1 WHERE id = ?'

/** Records a send under its key: see `Store.openSend`. */
export function openSend(tx: Tx, send: NewSend, fence?: Fence): OpenedSend | undefined {
  if (fence && !holdsLane(tx, fence)) return undefined
  const row = rowByKey(tx.sql, send.key)
  const asked = { customer: send.customer, body: send.body, askedDigest: askedDigest(send) }
  const opening = openingOf(asked, row && { ...sendOf(row), askedDigest: row.asked ?? undefined })
  switch (opening.found) {
    case 'new':
      return start(tx, { found: 'new', id: send.id, send, fence }, insert)
    case 'reopened':
      return start(tx, { found: 'reopened', id: (row as Row).id, send, fence }, reopen)
    case 'known': {
      const { id } = row as Row
      if (opening.marks) tx.sql(MARK_DIVERGED).run(id)
      return { send: presentSend(tx.sql, id), found: 'known', diverged: opening.diverged }
    }
  }
}

/** Undefined if the body itself is what the app asked for. */
function askedDigest({ asked, body }: NewSend): string | undefined {
  if (asked === undefined || asked === body) return undefined
  return createHash('sha256').update(asked).digest('base64url')
}

interface Starting {
  readonly found: 'new' | 'reopened'
  readonly id: string
  readonly send: NewSend
  readonly fence: Fence | undefined
}

function start(
  tx: Tx,
  { found, id, send, fence }: Starting,
  write: (tx: Tx, send: NewSend, at: SendStart, id: string) => void,
): OpenedSend {
  const { number, customer, cause, lane, unlessMutedAt, dueAt, createdAt } = send
  const at = startOf({
    cameBack: fence !== undefined && cameBack(tx, { number, cause }, fence),
    mute: unlessMutedAt === undefined ? undefined : lastMute(tx.sql, number, customer),
    unlessMutedAt,
    dueAt,
    throttle: throttleOf(tx.sql, number),
  })
  write(tx, send, at, id)
  if (joinsLane(at)) wakeLane(tx, lane, 'send', createdAt)
  return { send: presentSend(tx.sql, id), found, diverged: false }
}

/** Members of a new send whose columns are not called like them. */
interface ColumnsOf {
  readonly fallback: 'fallback_key' | 'fallback_body'
  readonly createdAt: 'created_at'
  readonly dueAt: 'due_at'
  readonly expiresAt: 'expires_at'
  readonly unlessMutedAt: 'unless_muted'
}

/** A member that is added to `NewSend` does not compile until it has a column. */
type Column = keyof Row | ColumnsOf[Exclude<keyof NewSend, keyof Row>]
type FixedColumn = 'id' | 'key' | 'number' | 'customer' | 'lane' | 'cause' | 'slot' | 'created_at'
/** A new row has their defaults; a send that is opened again has them again. */
type AttemptColumn = 'attempts' | 'first_attempt_at' | 'attempting_since'
/** SQLite numbers the rows; the others have their defaults until something is known. */
type LaterColumn = 'seq' | 'message_id' | 'upstream_id' | 'possibly_twice' | 'diverged' | 'withheld'

type ValuesOf<Columns extends Column> = {
  readonly [Name in Columns]: (send: NewSend, at: SendStart) => Row[Name]
}

/** Columns that a send keeps if it is opened again. */
const FIXED = {
  id: ({ id }) => id,
  key: ({ key }) => key,
  number: ({ number }) => number,
  customer: ({ customer }) => customer,
  lane: ({ lane }) => lane,
  cause: ({ cause }) => cause,
  slot: ({ slot }) => slot,
  created_at: ({ createdAt }) => createdAt,
} satisfies ValuesOf<FixedColumn>

/** Columns that are written each time a send is opened; a column added to `Row` does not compile until it is here. */
const STARTING = {
  state: (_, { state }) => state,
  code: (_, { code }) => code ?? null,
  reason: (_, { reason }) => reason ?? null,
  held_from: (_, { restored }) => (restored ? 'ready' : null),
  settled_at: ({ createdAt }, { state }) => (state === 'skipped' ? createdAt : null),
  via: ({ via }) => via,
  body: ({ body }) => body,
  fallback_key: ({ fallback }) => fallback?.key ?? null,
  fallback_body: ({ fallback }) => fallback?.body ?? null,
  ref: ({ ref }) => ref ?? null,
  next_at: () => AT_ONCE,
  due_at: ({ dueAt }) => dueAt ?? null,
  expires_at: ({ expiresAt }) => expiresAt ?? null,
  asked: (send) => askedDigest(send) ?? null,
  unless_muted: ({ unlessMutedAt }) => (unlessMutedAt === undefined ? 0 : 1),
} satisfies ValuesOf<Exclude<Column, FixedColumn | AttemptColumn | LaterColumn>>

const WRITTEN = { ...STARTING, ...FIXED }
const INSERT = `
  INSERT INTO sends (${Object.keys(WRITTEN).join(', ')})
  VALUES (${Object.keys(WRITTEN).fill('?').join(', ')})`
const WRITTEN_VALUES = Object.values(WRITTEN)

function insert(tx: Tx, send: NewSend, at: SendStart): void {
  tx.sql(INSERT).run(...WRITTEN_VALUES.map((valueOf) => valueOf(send, at)))
}

const REOPEN = `
  UPDATE sends SET ${Object.keys(STARTING)
    .map((name) => `${name} = ?`)
    .join(', ')},
    attempts = 0, first_attempt_at = NULL, attempting_since = NULL
  WHERE id = ?`
const STARTING_VALUES = Object.values(STARTING)

function reopen(tx: Tx, send: NewSend, at: SendStart, id: string): void {
  tx.sql(REOPEN).run(...STARTING_VALUES.map((valueOf) => valueOf(send, at)), id)
}
