import type { Desk } from '../receive/desk.ts'
import { Refused } from './http.ts'
import type { Plotter } from './plot.ts'
import type { Sealer } from './sealed.ts'

export interface ViewDeps {
  readonly desk: Desk
  readonly sealer: Sealer
  readonly plotter: Plotter
  readonly role: string
  gauges(): Promise<Gauges | undefined>
  /** Nothing is masked. */
  readonly revealed: boolean
}

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

/** The rows that one question looks through, whatever it finds: the bot must not wait for somebody who looks on. */
const LOOKED_THROUGH = 10_000

/** The place down to which one question looks; 0 if nothing lies below. `newest`: where it begins without `after`. */
export async function lowerEnd(after: number | undefined, newest: () => Promise<number | undefined>): Promise<number> {
  return Math.max(0, (after ?? (await newest()) ?? 0) - LOOKED_THROUGH)
}

/** The place to go on from: behind the last row or, if the part had too few, below that part. */
export function nextOf(next: number | undefined, newerThan: number): { readonly next?: string } {
  if (next !== undefined) return { next: String(next) }
  return newerThan > 0 ? { next: String(newerThan + 1) } : {}
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

/** Refuses filters that the list of a customer does not have: they would be passed over without a word. */
export function checkAlone(query: URLSearchParams, names: readonly string[]): void {
  const other = names.find((name) => query.has(name))
  if (other !== undefined) throw new Refused('invalid', `${other}: not together with customer`)
}
