import { integer, optional, text, table } from '../statements/tables.ts'

/**
 * Acts of people in the admin page and the desk. number: the number that an act concerns; null for several or all.
 * count: how many rows it changed, or messages it read; null until it has ended.
 */
export const acts = table(
  'acts',
  { id: 'seq' },
  {
    seq: integer,
    at: integer,
    who: text,
    act: text,
    what: text,
    number: optional(text),
    count: optional(integer),
  },
)

/**
 * Small values by name. generation: raised at each opening, and also stored beside the file. restored_upto: inbox rows
 * up to this id were in the restored backup; resumed:NUMBER: the held sends of that number were released. last_id,
 * last_send: the last ids that were given, although their rows may be gone. schema_digest: of the statements that made
 * the tables. same_customer: a digest of the rule for spellings of a number; absent without a rule. secret:NAME,
 * mapping, forgotten:NUMBER/CUSTOMER, templates:NUMBER (the category of each template that was ever listed): JSON.
 */
export const meta = table(
  'meta',
  { columns: ['name'] },
  {
    name: text,
    value: text,
  },
)
