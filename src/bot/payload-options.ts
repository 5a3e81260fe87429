import { optionsInvalid } from '../base/errors.ts'
import { isRecord } from '../base/value.ts'
import { EVENTS } from '../service/delivery.ts'
import { COMPOSED, isComposed, type Words } from './inbox/payload/facts.ts'
import { FACT_NAMES } from './inbox/payload/mapping.ts'
import { type Check, isText, misspelt, refuse } from './option-checks.ts'

/**
 * Where to find facts, by event and fact: a path such as `data.order.id`, a list of paths of which the first with a
 * value counts, or a function of the body.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- the app knows what its payloads hold
export type Paths = Record<string, Record<string, string | readonly string[] | ((json: any) => unknown)>>

/** The types of an app's facts: text for a path, else what its function returns. */
export type FactsOf<F> = string extends keyof F
  ? // oxlint-disable-next-line typescript/no-generated-empty-object-type -- nothing is mapped, and nothing may be
    Record<never, never>
  : {
      [E in keyof F]: {
        [K in keyof F[E]]: F[E][K] extends (json: never) => infer R ? NonNullable<R> : string
      }
    }

export const factPaths: Check = (facts, name) => {
  if (!isRecord(facts)) throw refuse(name, 'an object of facts by event', facts)
  for (const [event, paths] of Object.entries(facts)) {
    checkSpelling(`${name}.${event}`, 'event', event, Object.keys(EVENTS))
    if (!isRecord(paths)) throw refuse(`${name}.${event}`, 'an object of paths by fact', paths)
    for (const [fact, path] of Object.entries(paths)) {
      checkFactName(`${name}.${event}.${fact}`, fact)
      if (typeof path !== 'function' && !isPath(path) && !isPaths(path))
        throw refuse(
          `${name}.${event}.${fact}`,
          "a path such as 'data.order.id' or 'items[0].sku', a list of paths, or a function of the payload",
          path,
        )
    }
  }
}

/** Checks words of payloads with what they mean, such as `{ photo: 'image' }`. */
export function wordsFor(known: readonly string[], o: { readonly closed: boolean }): Check {
  return (words, name) => {
    if (!isRecord(words)) throw refuse(name, 'an object of words by the payload’s word', words)
    for (const [word, meant] of Object.entries(words)) {
      const expected = o.closed ? `one of ${known.join(', ')}` : `a kind, such as ${known.slice(0, 3).join(', ')}`
      if (!isText(meant) || (o.closed && !known.includes(meant))) throw refuse(`${name}.${word}`, expected, meant)
      checkSpelling(`${name}.${word}`, 'kind', meant, known)
    }
  }
}

export function wordsIn(given: {
  kinds?: Readonly<Record<string, string>>
  statuses?: Readonly<Record<string, string>>
}): Words {
  const inLowerCase = (words = {}) =>
    new Map(Object.entries<string>(words).map(([word, meant]) => [word.trim().toLowerCase(), meant]))
  return { kinds: inLowerCase(given.kinds), statuses: inLowerCase(given.statuses) }
}

/**
 * Refuses a misspelt name. It would count as a fact of the app's own, and the fact that was meant would be read at
 * guessed places instead of the app's path.
 */
function checkFactName(where: string, fact: string): void {
  const [of = '', member = ''] = fact.split('.')
  const members: readonly string[] = isComposed(of) ? COMPOSED[of] : []
  if (isComposed(of) && fact !== of && !members.includes(member))
    throw optionsInvalid(`${where}: ${of} has no "${member}"; it has ${members.join(', ')}`)
  // Accept a short name: a fact of the app's own may be one letter away from a known name.
  if (fact.length >= SHORTEST_MISSPELT || FACT_NAMES.includes(fact.toLowerCase()))
    checkSpelling(where, 'fact', fact, FACT_NAMES)
}

const SHORTEST_MISSPELT = 6

function checkSpelling(where: string, what: string, given: string, known: readonly string[]): void {
  const meant = misspelt(given, known)
  if (meant) throw optionsInvalid(`${where}: there is no ${what} "${given}": did you mean ${meant}?`)
}

const PATH = /^[^.[\]]+(?:\[\d+\])*(?:\.[^.[\]]+(?:\[\d+\])*)*$/

function isPath(value: unknown): boolean {
  return isText(value) && PATH.test(value)
}

function isPaths(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isPath)
}
