/**
 * The words that engines spell differently. Operations write them in one way, and each engine puts in its own when it
 * prepares a statement:
 *
 * - `greatest(a, b)` and `least(a, b)`: the larger and the smaller of two values;
 * - `list(?)`: the members of a JSON list, as in `key NOT IN list(${JSON.stringify(keys)})`;
 * - `?`: a placeholder.
 */
export interface Dialect {
  readonly greatest: string
  readonly least: string
  /** With a placeholder for the list. */
  readonly list: string
}

/** Puts an engine's words into the text of a statement. */
export function spell(text: string, dialect: Dialect): string {
  return text
    .replaceAll(/\bgreatest\(/g, `${dialect.greatest}(`)
    .replaceAll(/\bleast\(/g, `${dialect.least}(`)
    .replaceAll('list(?)', dialect.list)
}
