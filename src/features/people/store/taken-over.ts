import type { Silence, Silencer } from '../../../store/database/silence.ts'
import { remaining } from '../../../store/database/silence.ts'
import { sql } from '../../../store/database/sql.ts'
import { integer, oneOf, optional, text } from '../../../store/database/table.ts'

/** A take-over: a person has the customer, or the service's agent, because the customer typed `BOT`. */
export interface TakenOver extends Omit<Silence, 'why'> {
  readonly by: 'agent' | 'person'
}

export interface TakenOverRow {
  readonly taken_by: TakenOver['by'] | null
  readonly taken_since: number | null
  readonly taken_until: number | null
  readonly taken_cause: string | null
}

const WHY = {
  agent: {
    code: 'taken_over',
    reason: 'the customer typed BOT, so the bot does not reply for 24 hours unless the app takes over',
  },
  person: { code: 'taken_over', reason: 'a person has this customer for a while, so the bot does not reply' },
} as const

/**
 * taken_by: who has the customer, or had them last. taken_cause: the cause of the item whose handler handed over.
 * resumed_at: when the bot last got the customer back.
 */
export const silencer = {
  columns: {
    taken_by: optional(oneOf<TakenOver['by']>()),
    taken_since: optional(integer),
    taken_until: optional(integer),
    taken_cause: optional(text),
    resumed_at: optional(integer),
  },
  indexes: { taken: { on: ['taken_until'], where: sql`taken_by = 'person'` } },
  read: ['taken_by', 'taken_since', 'taken_until', 'taken_cause'],
  silenceIn: takenOverIn,
  until: 'taken_until',
  isBlank: sql`taken_by IS NULL AND resumed_at IS NULL`,
  // A take-over that ended stays for a while: a customer's text `BOT` that arrives late must not undo a newer change.
  isOld: (before) =>
    sql`((taken_by IS NOT NULL OR resumed_at IS NOT NULL)
      AND coalesce(taken_until, 0) < ${before} AND coalesce(resumed_at, 0) < ${before})`,
  merged(latest) {
    const { taken_by, taken_since, taken_until, taken_cause } = latest('taken_until', 'taken_since')
    const { resumed_at } = latest('resumed_at', 'resumed_at')
    return { taken_by, taken_since, taken_until, taken_cause, resumed_at }
  },
} as const satisfies Silencer

export function takenOverIn(row: TakenOverRow | undefined): (TakenOver & Silence) | undefined {
  if (!row || row.taken_by === null) return undefined
  const { taken_by: by, taken_since: since, taken_until: until, taken_cause: cause } = row
  return { by, since: since ?? 0, until: until ?? 0, cause: cause ?? undefined, why: WHY[by] }
}

/**
 * Returns the take-over that applies after `asked`; undefined if nothing changes. A `BOT` that arrives late does not
 * undo a later change. A take-over by a person does not shorten one by the agent, and the other way round.
 */
export function takenOverAfter(
  known: TakenOver | undefined,
  asked: TakenOver,
  resumedAt: number | undefined,
): TakenOver | undefined {
  if (asked.by === 'agent' && asked.since < Math.max(known?.since ?? 0, resumedAt ?? 0)) return undefined
  const isShortened =
    known !== undefined && asked.by !== known.by && asked.until > asked.since && asked.until < known.until
  return isShortened ? { ...asked, until: known.until } : asked
}

export function prolongedBy(before: TakenOver | undefined, after: TakenOver | undefined, at: number): number {
  return remaining(after, at) - remaining(before, at)
}
