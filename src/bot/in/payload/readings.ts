import { type Hit, type Hits, isLastResort } from './collect.ts'
import type { FoundFacts, How, PayloadAlarm, PayloadContext, Reading } from './facts.ts'
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

/** Raises an alarm, at most one of a code for each fact, because the first path is enough. */
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

export interface Agreed<T> {
  readonly value: T
  readonly hit: Hit
  readonly agreed: boolean
}

/** Reads the first readable candidate. One that differs raises `fact_conflict`, an unreadable one `fact_unreadable`. */
export function readAgreed<T>(
  findings: Findings,
  fact: string,
  hits: readonly Hit[],
  read: (value: unknown) => T | undefined,
): Agreed<T> | undefined {
  let chosen: { value: T; hit: Hit } | undefined
  let agreed = true
  for (const hit of hits) {
    if (chosen && isLastResort(hit)) break
    const value = read(hit.value)
    if (value === undefined) noteUnreadable(findings, fact, hit)
    else if (chosen === undefined) chosen = { value, hit }
    else if (value !== chosen.value) {
      agreed = false
      alarm(findings, 'fact_conflict', fact, hit.path)
    }
  }
  return chosen && { value: chosen.value, hit: chosen.hit, agreed }
}

export function readFirst<T>(
  findings: Findings,
  hits: readonly Hit[],
  read: (value: unknown) => T | undefined,
): { readonly value: T; readonly hit: Hit } | undefined {
  for (const hit of hits) {
    const value = read(hit.value)
    if (value !== undefined) return { value, hit }
  }
  return undefined
}

export function readSure<T>(
  findings: Findings,
  hits: readonly Hit[],
  read: (value: unknown) => T | undefined,
): Reading<T> | undefined {
  const found = readFirst(findings, hits, read)
  return found && reading(found.value, found.hit.path, true)
}

export function noteUnreadable(findings: Findings, fact: string, hit: Hit): void {
  // Other candidates are inside an object, so the object itself need not be readable.
  const value = hit.value
  if (typeof value === 'object') return
  if (fact.endsWith('Id') && lostDigits(value)) alarm(findings, 'unsafe_number', fact, hit.path)
  else if (!isLastResort(hit)) alarm(findings, 'fact_unreadable', fact, hit.path)
}
