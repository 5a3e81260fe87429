import type { Desk } from '../receive/desk.ts'
import { Refused } from './http.ts'
import type { Plotter } from './plot.ts'
import type { Sealer } from './sealed.ts'

/** What a view is made from. */
export interface ViewDeps {
  readonly desk: Desk
  readonly sealer: Sealer
  readonly plotter: Plotter
  readonly role: string
  gauges(): Promise<Gauges | undefined>
  /** Nothing is masked. */
  readonly revealed: boolean
}

/** The part of the bot's gauges that is shown. */
export interface Gauges {
  readonly lanes: { readonly items: number; readonly sends: number }
  readonly failuresInARow: number
}

const USUAL_LIMIT = 50
const MOST = 200

export function limitIn(query: URLSearchParams): number {
  const given = query.get('limit') ?? String(USUAL_LIMIT)
  const limit = Number(given)
  if (/^\d{1,3}$/.test(given) && limit >= 1 && limit <= MOST) return limit
  throw new Refused('invalid', `limit: expected a whole number from 1 to ${MOST}`)
}

/** A member of a query as a whole number; undefined if it is not there. */
export function numberIn(query: URLSearchParams, name: string): number | undefined {
  const given = query.get(name)
  if (given === null) return undefined
  if (/^\d{1,15}$/.test(given)) return Number(given)
  throw new Refused('invalid', `${name}: expected a whole number`)
}

export function oneOf<T extends string>(given: string, all: readonly T[], name: string): T {
  const found = all.find((one) => one === given)
  if (found !== undefined) return found
  throw new Refused('invalid', `${name}: expected one of ${all.join(', ')}`)
}

export function textIn(query: URLSearchParams, name: string): string | undefined {
  return query.get(name) ?? undefined
}
