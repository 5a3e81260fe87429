import { isRecord } from '../base/value.ts'
import { RETRYABLE } from '../inspect/delivery-states.ts'
import type { RetryFilter } from './api.ts'
import { Refused } from './http.ts'

/** A posted body, member by member; each gives a value of its type, or refuses. */
export interface Members {
  text(name: string): string
  optional(name: string): string | undefined
  /** From `least` to `most`; `usual` if it is not there. */
  whole(name: string, o: { least: number; most: number; usual: number }): number
  flag(name: string): boolean
  value(name: string): unknown
}

const LONGEST_TEXT = 500

/** @throws Refused `invalid` */
export function membersOf(body: unknown): Members {
  if (!isRecord(body)) throw new Refused('invalid', 'The body must be a JSON object.')
  const optional = (name: string) => {
    const given = body[name]
    if (given === undefined || given === null) return undefined
    if (typeof given === 'string' && given !== '' && given.length <= LONGEST_TEXT) return given
    throw new Refused('invalid', `${name}: expected a text`)
  }
  return {
    optional,
    text(name) {
      const given = optional(name)
      if (given === undefined) throw new Refused('invalid', `${name}: expected a text`)
      return given
    },
    whole(name, { least, most, usual }) {
      const given = body[name] ?? usual
      if (Number.isInteger(given) && Number(given) >= least && Number(given) <= most) return Number(given)
      throw new Refused('invalid', `${name}: expected a whole number from ${least} to ${most}`)
    },
    flag(name) {
      const given = body[name] ?? false
      if (typeof given === 'boolean') return given
      throw new Refused('invalid', `${name}: expected true or false`)
    },
    value: (name) => body[name],
  }
}

const MOST_NAMED = 200

/** @throws Refused `invalid` */
export function checkSeqs(given: unknown): number[] {
  const isList = Array.isArray(given) && given.length > 0 && given.length <= MOST_NAMED
  if (isList && given.every((seq) => Number.isSafeInteger(seq) && seq >= 0)) return given as number[]
  throw new Refused('invalid', `deliveries: expected a list of 1 to ${MOST_NAMED} whole numbers`)
}

const FILTERS = ['states', 'event', 'number', 'customer', 'from']

/** @throws Refused `invalid` */
export function checkFilter(given: unknown): RetryFilter {
  const members = membersOf(given)
  const states: unknown = members.value('states')
  const known: readonly string[] = RETRYABLE
  if (!Array.isArray(states) || states.length === 0 || !states.every((state) => known.includes(state as string)))
    throw new Refused('invalid', `states: expected a list of some of ${known.join(', ')}`)
  const unknown = Object.keys(given as object).find((name) => !FILTERS.includes(name))
  if (unknown !== undefined) throw new Refused('invalid', `${unknown}: there is no such filter of what is put back`)
  const [event, number, customer] = ['event', 'number', 'customer'].map(members.optional)
  const from = members.value('from') === undefined ? undefined : members.whole('from', FROM)
  return {
    states: [...new Set(states as string[])],
    ...(event !== undefined && { event }),
    ...(number !== undefined && { number }),
    ...(customer !== undefined && { customer }),
    ...(from !== undefined && { from }),
  }
}

const FROM = { least: 0, most: Number.MAX_SAFE_INTEGER, usual: 0 }
