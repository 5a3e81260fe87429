/**
 * The words that engines spell differently. Operations write them in one way, and each engine puts in its own when it
 * prepares a statement:
 *
 * - `greatest(a, b)` and `least(a, b)`: the larger and the smaller of two values;
 * - `position(? IN bytes)`: where bytes begin within others, from 1; 0 if they are not there;
 * - `list(?)`: the members of a JSON list, as in `key NOT IN list(${JSON.stringify(keys)})`;
 * - `?`: a placeholder.
 */
export interface Dialect {
  readonly greatest: string
  readonly least: string
  /** With a placeholder for the list. */
  readonly list: string
  /** With a placeholder, and `$1` for the column. */
  readonly position: string
}

/** Puts an engine's words into the text of a statement. */
export function spell(text: string, dialect: Dialect): string {
  return text
    .replaceAll(/\bgreatest\(/g, `${dialect.greatest}(`)
    .replaceAll(/\bleast\(/g, `${dialect.least}(`)
    .replaceAll('list(?)', dialect.list)
    .replaceAll(/\bposition\(\? IN ([\w.]+)\)/g, dialect.position)
}
