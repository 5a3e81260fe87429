/**
 * The words that engines spell differently. Operations write them in one way, and each engine puts in its own when it
 * prepares a statement:
 *
 * - `greatest(a, b)` and `least(a, b)`: the larger and the smaller of two values;
 * - `position(? IN bytes)`: where bytes begin within others, from 1; 0 if they are not there;
 * - `IN list(?)` and `NOT IN list(?)`: among the members of a JSON list of texts, as in `key IN list(${JSON.stringify(keys)})`;
 *   `numbers(?)`: the same of whole numbers;
 * - `next(sends)`: a `seq` for a send, above all that were given;
 * - `text(?)` and `number(?)`: a value that no column beside it gives a type, as in `number(?) IS NULL`;
 * - `?`: a placeholder.
 */
export interface Dialect {
  readonly greatest: string
  readonly least: string
  /** With a placeholder for the list. */
  readonly list: string
  readonly numbers: string
  /** With `$1` for one of these two. */
  readonly isIn: string
  readonly nextSend: string
  readonly text: string
  readonly number: string
  /** With a placeholder, and `$1` for the column. */
  readonly position: string
}

export const SQLITE: Dialect = {
  greatest: 'max',
  least: 'min',
  list: '(SELECT value FROM json_each(?))',
  numbers: '(SELECT value FROM json_each(?))',
  isIn: 'IN $1',
  // Sends that a forgotten customer had may be gone by now, and what comes later is kept.
  nextSend: `1 + max(
    (SELECT coalesce(max(seq), 0) FROM sends), (SELECT coalesce(max(upto), 0) FROM forgotten WHERE what = 'sends'))`,
  text: '?',
  number: '?',
  position: 'instr($1, ?)',
}

/** A list is JSON, in which U+0000 is written out; PostgreSQL has no text that holds it: see `asText`. */
export const POSTGRES: Dialect = {
  greatest: 'greatest',
  least: 'least',
  list: String.raw`(SELECT value FROM json_array_elements_text(replace(?, '\u0000', '\ufffd')::json))`,
  numbers: '(SELECT value::bigint FROM json_array_elements_text(?::json))',
  // Not joined: while nobody has counted a table's rows, a join may have all of them compared with the list.
  isIn: '= ANY (ARRAY$1)',
  // A transaction of the app's may have taken one, and be open for long: nobody waits for it.
  nextSend: "nextval('switchhook.sends_seq')",
  text: '?::text',
  number: '?::bigint',
  position: 'position(? IN $1)',
}

/** Puts an engine's words into the text of a statement. */
export function spell(text: string, dialect: Dialect): string {
  return text
    .replaceAll(/\bgreatest\(/g, `${dialect.greatest}(`)
    .replaceAll(/\bleast\(/g, `${dialect.least}(`)
    .replaceAll(/\btext\(\?\)/g, () => dialect.text)
    .replaceAll(/\bnumber\(\?\)/g, () => dialect.number)
    .replaceAll(/(?<!NOT )\bIN (list|numbers)\(\?\)/g, (_, of: 'list' | 'numbers') =>
      dialect.isIn.replace('$1', () => dialect[of]),
    )
    .replaceAll('list(?)', () => dialect.list)
    .replaceAll('numbers(?)', () => dialect.numbers)
    .replaceAll('next(sends)', () => dialect.nextSend)
    .replaceAll(/\bposition\(\? IN ([\w.]+)\)/g, dialect.position)
}
