import { suggest } from '../base/suggest.ts'
import { EVENTS } from '../contract/index.ts'

/** An event of a lock that the specification does not name, and that never came. */
export interface UnheardEvent {
  readonly event: string
  /** A sentence for people. */
  readonly says: string
}

/**
 * The events of a lock that nobody ever heard of: under a misspelt name, after an edit by hand, the real event is guessed.
 *
 * @param file is named in the sentences.
 * @param came the names of all events that ever came.
 */
export function unheardIn(locked: readonly string[], file: string, came: Iterable<string>): UnheardEvent[] {
  const names = Object.keys(EVENTS)
  const known = new Set([...names, ...came])
  return locked
    .filter((event) => !known.has(event))
    .map((event) => {
      const [meant] = suggest(event, names)
      const question = meant === undefined ? '' : `; did you mean ${meant}?`
      return {
        event,
        says: `${file} locks ${event}, an event that the specification does not name and that never came: under a misspelt name the real event is guessed${question}`,
      }
    })
}
