import { maskPhone } from '../base/mask.ts'
import type { Desk } from '../bot/bot-internals.ts'
import type { Handles } from './handles.ts'
import type { CustomerOfNumber } from '../store/database/customer-tables.ts'
import { Refused } from './admin-http.ts'

export interface ViewDeps {
  readonly desk: Desk
  readonly handles: Handles
  failuresInARow(): Promise<number>
  readonly revealed: boolean
}

export function customerName({ number, customer }: CustomerOfNumber, { revealed, handles }: ViewDeps) {
  return { number, customer: revealed ? customer : maskPhone(customer), handle: handles.handleOf({ number, customer }) }
}

const USUAL_LIMIT = 50
const MOST = 200

export function limitIn(query: URLSearchParams): number {
  const given = query.get('limit') ?? String(USUAL_LIMIT)
  const limit = Number(given)
  if (/^\d{1,3}$/.test(given) && limit >= 1 && limit <= MOST) return limit
  throw new Refused('invalid', `limit: expected a whole number from 1 to ${MOST}`)
}

/** The most rows that one query reads, so that a person's filter does not slow the bot. */
const MOST_READ = 10_000

export async function lowerEnd(after: number | undefined, newest: () => Promise<number | undefined>): Promise<number> {
  return Math.max(0, (after ?? (await newest()) ?? 0) - MOST_READ)
}

/** Returns where the next page begins: after the last row, or, if too few rows matched, after the last row read. */
export function nextPage(next: number | undefined, newerThan: number): { readonly next?: string } {
  if (next !== undefined) return { next: String(next) }
  return newerThan > 0 ? { next: String(newerThan + 1) } : {}
}

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
