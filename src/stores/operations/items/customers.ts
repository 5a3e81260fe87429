import { customerLane, holdsLane } from '../lanes/lanes.ts'
import { all, one, Query, run, sql, type Steps } from '../steps.ts'
import type {
  CustomerOfNumber,
  CustomerState,
  Fence,
  Holding,
  Mute,
  OpenConversation,
  Session,
  SessionWrite,
  Unmute,
  Waits,
} from '../../port/index.ts'
import { mergedSession, muteAfter, unmuted } from '../../rules/items.ts'

/**
 * Mutes the bot for a customer, so that replies to them are skipped, or ends a mute. A `BOT` that is older than the
 * last mute changes nothing, and a mute for another reason is not shortened.
 */
export function* mute(asked: Mute | Unmute, fence?: Fence): Steps<boolean> {
  if (fence && !(yield* holdsLane(fence))) return false
  const { number, customer } = asked
  const after = 'endsAt' in asked ? unmuted(asked, asked.endsAt) : muteAfter(yield* lastMute(asked), asked)
  if (after)
    yield* run(sql`
      INSERT INTO mutes (number, customer, why, since, until)
      VALUES (${number}, ${customer}, ${after.why}, ${after.since}, ${after.until})
      ON CONFLICT (number, customer)
      DO UPDATE SET why = excluded.why, since = excluded.since, until = excluded.until`)
  return true
}

export function lastMute({ number, customer }: CustomerOfNumber): Steps<Mute | undefined> {
  return one<Mute>(sql`
    SELECT number, customer, why, since, until FROM mutes WHERE number = ${number} AND customer = ${customer}`)
}

interface Known {
  readonly value: string | null
  readonly version: number
  readonly why: Mute['why'] | null
  readonly since: number
  readonly until: number
  readonly sent_at: number | null
  readonly last_at: number | null
}

export function* customerOf(number: string, customer: string, at: number): Steps<CustomerState> {
  const known = yield* one<Known>(sql`
    SELECT s.value, s.version, m.why, m.since, m.until, w.sent_at, w.last_at
    FROM (SELECT ${number} AS number, ${customer} AS customer) AS c
    LEFT JOIN sessions s
      ON s.number = c.number AND s.customer = c.customer AND (s.expires_at IS NULL OR s.expires_at > ${at})
    LEFT JOIN mutes m ON m.number = c.number AND m.customer = c.customer AND m.until > ${at}
    LEFT JOIN lanes w ON w.key = ${customerLane({ number, customer })}`)
  const { value, version, why, since, until, sent_at, last_at } = known as Known
  return {
    session: value === null ? undefined : { value, version },
    mute: why === null ? undefined : { number, customer, why, since, until },
    lastSentAt: sent_at ?? undefined,
    lastInboundAt: last_at ?? undefined,
  }
}

const KEPT = { items: 0, sends: 0, sessions: 0, windows: 0, mutes: 0, conversations: 0, timers: 0 }

type Kept = typeof KEPT

/** Counts what is kept of a customer: see `Store.holding`. */
export function* holding(customer: string): Steps<Holding> {
  const rows = yield* all<{ number: string; what: keyof Kept; n: number }>(sql`
    SELECT number, what, count(*) AS n FROM (
      SELECT number, 'items' AS what FROM items WHERE customer = ${customer}
      UNION ALL SELECT number, 'sends' FROM sends WHERE customer = ${customer}
      UNION ALL SELECT number, 'sessions' FROM sessions WHERE customer = ${customer}
      UNION ALL SELECT number, 'windows' FROM lanes WHERE key = number || '/' || ${customer} AND last_at IS NOT NULL
      UNION ALL SELECT number, 'mutes' FROM mutes WHERE customer = ${customer}
      UNION ALL SELECT number, 'conversations' FROM conversations WHERE customer = ${customer}
      UNION ALL SELECT number, 'timers' FROM timers WHERE customer = ${customer}
    ) AS kept GROUP BY number, what ORDER BY number`)
  const numbers: Record<string, Kept> = {}
  for (const { number, what, n } of rows) numbers[number] = { ...(numbers[number] ?? KEPT), [what]: n }
  const named = yield* one<{ n: number }>(sql`
    SELECT count(*) AS n FROM deliveries d JOIN contents c ON c.place = d.body_place
    WHERE d.state <> 'stored' AND position(${Buffer.from(customer)} IN c.body) > 0`)
  return { numbers, naming: named?.n ?? 0 }
}

/**
 * Stores the session of an item's customer as its handlers left it, on top of what others have written meanwhile. False if
 * both changed the same.
 */
export function* writeSession(item: number, write: SessionWrite): Steps<boolean> {
  const who = yield* one<CustomerOfNumber>(sql`
    SELECT number, customer FROM items WHERE id = ${item} AND customer IS NOT NULL`)
  if (!who) return true
  let mine: SessionWrite | undefined = write
  // Over PostgreSQL another process may write between the two statements.
  while (mine && !(yield* putSession(who, mine))) mine = mergedSession(write, yield* sessionAt(who, write.readAt))
  return mine !== undefined
}

function sessionAt({ number, customer }: CustomerOfNumber, at: number): Steps<Session | undefined> {
  return one<Session>(sql`
    SELECT value, version FROM sessions
    WHERE number = ${number} AND customer = ${customer} AND (expires_at IS NULL OR expires_at > ${at})`)
}

/**
 * Writes a session from outside an item. False, and nothing is changed, if it is not as it was read any more.
 *
 * The conditions are parts of the statements, which see the latest row.
 */
export function* putSession(
  { number, customer }: CustomerOfNumber,
  { before, readAt, value, version, expiresAt }: SessionWrite,
): Steps<boolean> {
  if (before === undefined && value === undefined) return (yield* sessionAt({ number, customer }, readAt)) === undefined
  const changed =
    before === undefined
      ? yield* run(sql`
          INSERT INTO sessions (number, customer, value, version, expires_at)
          VALUES (${number}, ${customer}, ${value}, ${version}, ${expiresAt})
          ON CONFLICT (number, customer)
          DO UPDATE SET value = excluded.value, version = excluded.version, expires_at = excluded.expires_at
            WHERE sessions.expires_at <= ${readAt}`)
      : value === undefined
        ? yield* run(
            sql`DELETE FROM sessions WHERE number = ${number} AND customer = ${customer} AND value = ${before}`,
          )
        : yield* run(sql`
            UPDATE sessions SET value = ${value}, version = ${version}, expires_at = ${expiresAt}
            WHERE number = ${number} AND customer = ${customer} AND value = ${before}`)
  return changed > 0
}

/** Keeps the service time of the last send to a customer that the service took. */
export function* markSent({ number, customer }: CustomerOfNumber, at: number): Steps<void> {
  yield* run(sql`
    UPDATE lanes SET sent_at = greatest(coalesce(sent_at, 0), ${at})
    WHERE key = ${customerLane({ number, customer })} AND last_at IS NOT NULL`)
}

/** The columns of an open conversation as an item's row has them; null if none is open. */
export interface OpenRow {
  readonly conversation: string | null
  readonly conversation_name: string
  readonly conversation_version: number
  readonly waits: string | null
}

/** The columns of `OpenRow`, of an alias of the table. */
export function openColumns(alias: string): Query {
  return new Query(
    `${alias}.id AS conversation, ${alias}.name AS conversation_name, ${alias}.version AS conversation_version, ${alias}.waits`,
  )
}

export function openIn(row: OpenRow): OpenConversation | undefined {
  const { conversation: id, conversation_name: name, conversation_version: version, waits } = row
  return id === null ? undefined : { id, name, version, waits: waitsOf(waits) }
}

export function* openConversation({ number, customer }: CustomerOfNumber): Steps<OpenConversation | undefined> {
  const row = yield* one<OpenRow>(sql`
    SELECT ${openColumns('v')} FROM conversations v
    WHERE v.number = ${number} AND v.customer = ${customer} AND v.state = 'open'`)
  return row && openIn(row)
}

export function waitsOf(json: string | null | undefined): Waits | undefined {
  if (json === null || json === undefined) return undefined
  // JSON has no member that is undefined, so `dueAt` is put in.
  const { dueAt, ...waits } = JSON.parse(json) as Waits
  return { ...waits, dueAt }
}
