import { sql } from '../../../store/database/sql.ts'
import { counted, integer, optional, table, text } from '../../../store/database/table.ts'

/**
 * The queue of people: customers who wait for a person, or have waited, or are assigned to one. state: waiting, snoozed
 * (until), answered, dismissed, or open (the customer does not wait). since: when the wait began; it is kept when the
 * wait ends, because a message that fails later restores the wait. why: handed_over, asked, wrote, failed, unread.
 * first: the inbox row that began the wait. item: the inbox row that last asked for a person, at asked_at. upto: the
 * newest inbox row that the person saw who answered or dismissed. since, asked_at, until: service time. ended_by: who
 * answered or dismissed. assignee: whose chat it is. changed: wall time of the last change, higher than in all
 * committed rows; two simultaneous changes may have the same value.
 */
export const people = table(
  'people',
  { columns: ['number', 'customer'] },
  {
    number: text,
    customer: text,
    state: text,
    since: optional(integer),
    why: optional(text),
    first: optional(integer),
    item: optional(integer),
    asked_at: optional(integer),
    upto: optional(integer),
    until: optional(integer),
    ended_by: optional(text),
    assignee: optional(text),
    changed: integer,
  },
  {
    waiting: { on: ['since'], where: sql`state IN ('waiting', 'snoozed')` },
    assigned: { on: ['assignee'], where: sql`assignee IS NOT NULL` },
    changed: { on: ['changed'] },
  },
)

/**
 * Notes about a customer, which people write for each other. passed_to: the person to whom the chat was passed with the
 * note.
 */
export const notes = table(
  'notes',
  { id: 'seq' },
  {
    seq: counted,
    number: text,
    customer: text,
    at: integer,
    who: text,
    note: text,
    passed_to: optional(text),
  },
  {
    customer: { on: ['number', 'customer', 'seq'] },
  },
)
