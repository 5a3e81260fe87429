import { sql } from '../../../store/database/sql.ts'
import { counted, integer, optional, table, text } from '../../../store/database/table.ts'

/**
 * Announcements. name: the app's own key, as JSON. content, outside_window: JSON; content is null if a function of the
 * app makes it. hours: JSON of the hours in which messages may go out. reason, since, blamed: why an error paused it,
 * since when (wall time), and the first recipient whom the error concerns. owner: the process that works on it.
 * next_at: service time of the next claim. paced_to: service time up to which the pace is used up. outcomes: how many
 * answers of the service were committed. accepted_at: the value of outcomes at the last acceptance. probe: 1 to begin
 * with one recipient, 2 while that recipient is under way. probed: the last such recipient. The columns from total to
 * unknown count recipients.
 */
export const announcements = table(
  'announcements',
  { id: 'id' },
  {
    id: counted,
    number: text,
    name: text,
    state: text,
    reason: optional(text),
    since: optional(integer),
    blamed: optional(text),
    content: optional(text),
    outside_window: optional(text),
    hours: optional(text),
    per_hour: integer,
    next_at: integer,
    paced_to: optional(integer),
    owner: optional(integer),
    outcomes: integer,
    accepted_at: integer,
    probe: integer,
    probed: optional(text),
    total: integer,
    sent: integer,
    refused: integer,
    invalid: integer,
    opted_out: integer,
    silent: integer,
    unknown: integer,
    created_at: integer,
    ended_at: optional(integer),
  },
  {
    name: { on: ['number', 'name'], unique: true },
    running: { on: ['id'], where: sql`state = 'running'` },
  },
)

/**
 * Recipients of announcements, one row for each. customer: digits, a keyed hash after the customer was forgotten, or an
 * invalid text. state: waiting; then sent (accepted), refused, invalid (nothing can be sent to this row), opted_out,
 * silent (the customer had a silence) or unknown. After the send was pruned: delivered, read or failed. nth: the number
 * of this outcome within the announcement. at: wall time of the outcome. send: the seq of the send. given: the app's
 * spelling of the number, if it differs. vars: the columns of the app's row. zone: the index of its zone in hours.
 * resends: how often a message that failed later was sent again, each time under another key.
 */
export const recipients = table(
  'recipients',
  { columns: ['announcement', 'customer'] },
  {
    announcement: integer,
    customer: text,
    state: text,
    nth: optional(integer),
    at: optional(integer),
    code: optional(text),
    reason: optional(text),
    send: optional(integer),
    given: optional(text),
    vars: optional(text),
    zone: integer,
    resends: integer,
  },
  {
    waiting: { on: ['announcement', 'zone', 'customer'], where: sql`state = 'waiting'` },
    refused: { on: ['announcement', 'nth'], where: sql`state = 'refused'` },
    send: { on: ['send'], where: sql`send IS NOT NULL` },
  },
)
