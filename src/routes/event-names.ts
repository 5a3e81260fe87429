import { distance } from '../base/suggest.ts'
import { EVENTS, STATUSES } from '../contract/index.ts'

/** The names that `on` knows: the specification's events, and the statuses of a message. */
const KNOWN: readonly string[] = [...Object.keys(EVENTS), ...STATUSES.map((status) => `message.status:${status}`)]

/**
 * The known names that a name must have meant: it is one letter away, differs in case or separators alone, or is a part
 * of one, such as `message` or `delivered`. Undefined if it is known, or unlike all of them.
 */
export function misspelt(name: string): readonly string[] | undefined {
  if (KNOWN.includes(name)) return undefined
  const letters = lettersOf(name)
  const meant = KNOWN.filter(
    (known) => distance(name, known) <= 1 || lettersOf(known) === letters || known.split(/[.:]/).includes(name),
  )
  // `message` is a part of many: the events say enough.
  const events = meant.filter((known) => !known.includes(':'))
  return meant.length === 0 ? undefined : events.length > 0 ? events : meant
}

function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z]/g, '')
}
