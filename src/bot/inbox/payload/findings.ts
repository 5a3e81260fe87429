import type { Hit, Hits } from './collect.ts'
import {
  COMPOSED,
  type ComposedFact,
  type FactValues,
  type FoundFacts,
  type How,
  type PayloadAlarm,
  type PayloadContext,
  type Reading,
} from './facts.ts'
import type { TableName, ValueOf } from './tables.ts'
import { lostDigits } from './values.ts'

export interface Findings {
  readonly context: PayloadContext
  readonly hits: Hits
  /** True if a message object was found. Otherwise the hits come from the innermost wrapper. */
  readonly isMessage: boolean
  readonly hasEnvelope: boolean
  readonly facts: FoundFacts
  readonly alarms: PayloadAlarm[]
}

/** Raises an alarm, once for each code and fact. */
export function alarm(
  { alarms }: Pick<Findings, 'alarms'>,
  code: PayloadAlarm['code'],
  fact?: string,
  path?: string,
  word?: string,
): void {
  if (alarms.some((each) => each.code === code && each.fact === fact)) return
  alarms.push({ code, ...(fact !== undefined && { fact }), ...(path !== undefined && { path }), ...(word && { word }) })
}

export function reading<T>(value: T, path: string, sure: boolean, how: How = 'guessed'): Reading<T> {
  return { value, path, how, sure }
}

export interface Found<T> {
  readonly value: T
  readonly hit: Hit
}

/** Reads a fact at the best place with a readable value. */
export function find<N extends TableName>(
  { hits, context }: Findings,
  table: N,
  counts?: (hit: Hit) => boolean,
): Found<ValueOf<N>> | undefined {
  for (const hit of hits[table]) {
    if (counts && !counts(hit)) continue
    const value = hit.place.form(hit.value, context.words)
    if (value !== undefined) return { value: value as ValueOf<N>, hit }
  }
  return undefined
}

/** Reads the members of a fact, each by its own table. `first`: the place of the first one. */
export function findMembers<F extends ComposedFact>(
  findings: Findings,
  fact: F,
  counts?: (hit: Hit) => boolean,
): { readonly value: Partial<FactValues[F]>; readonly first?: Hit } {
  const value: Record<string, unknown> = {}
  let first: Hit | undefined
  for (const [member, table] of MEMBERS[fact]) {
    const found = find(findings, table, counts)
    if (!found) continue
    value[member] = found.value
    first ??= found.hit
  }
  return { value: value as Partial<FactValues[F]>, ...(first && { first }) }
}

const MEMBERS = Object.fromEntries(
  Object.entries(COMPOSED).map(([fact, members]) => [fact, members.map((member) => [member, `${fact}.${member}`])]),
) as Record<ComposedFact, [member: string, table: TableName][]>

/** Like `find`. Also raises alarms for another value at another place, and for unreadable values. */
export function findAgreed<N extends TableName>(
  findings: Findings,
  table: N,
  hits = findings.hits[table],
): (Found<ValueOf<N>> & { readonly agreed: boolean }) | undefined {
  let chosen: Found<ValueOf<N>> | undefined
  let agreed = true
  for (const hit of hits) {
    if (chosen && isLastResort(hit)) break
    const value = hit.place.form(hit.value) as ValueOf<N> | undefined
    if (value === undefined) noteUnreadable(findings, table, hit)
    else if (chosen === undefined) chosen = { value, hit }
    else if (value !== chosen.value) {
      agreed = false
      alarm(findings, 'fact_conflict', table, hit.path)
    }
  }
  return chosen && { ...chosen, agreed }
}

export function noteUnreadable(findings: Findings, fact: string, hit: Hit): void {
  // Other places are inside an object, so it need not be readable itself.
  const value = hit.value
  if (typeof value === 'object') return
  if (fact.endsWith('Id') && lostDigits(value)) alarm(findings, 'unsafe_number', fact, hit.path)
  else if (!isLastResort(hit)) alarm(findings, 'fact_unreadable', fact, hit.path)
}

export function isLastResort({ place }: Hit): boolean {
  return place.rank === 'lastResort'
}
