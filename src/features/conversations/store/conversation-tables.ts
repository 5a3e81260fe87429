import { sql } from '../../../store/database/sql.ts'
import { integer, optional, table, text } from '../../../store/database/table.ts'

/**
 * waits: the step at which the script waits, as JSON; null if the conversation has ended. item: the last item whose
 * attempt entered the conversation.
 */
export const conversations = table(
  'conversations',
  { columns: ['id'] },
  {
    id: text,
    number: text,
    customer: text,
    name: text,
    version: integer,
    input: optional(text),
    state: text,
    waits: optional(text),
    ended: optional(text),
    item: integer,
    opened_at: integer,
    ended_at: optional(integer),
  },
  {
    open: { on: ['number', 'customer'], where: sql`state = 'open'`, unique: true },
    listed: { on: ['id'], where: sql`state = 'open'` },
    customer: { on: ['number', 'customer'] },
  },
)

export const conversation_steps = table(
  'conversation_steps',
  { columns: ['conversation', 'step'] },
  {
    conversation: text,
    step: integer,
    kind: text,
    name: text,
    result: optional(text),
  },
)
