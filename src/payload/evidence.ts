import type { How, PayloadAlarm, PayloadContext, Reading } from './facts.ts'
import { type Hit, type Hits, hitsOf, isLastResort } from './gather.ts'
import { lostDigits } from './values.ts'

/** What a payload offers for one view, and what was noticed on the way. */
export interface Evidence {
  readonly context: PayloadContext
  readonly hits: Hits
  /** Whether there is a message object, and whether something stands around it. */
  readonly isMessage: boolean
  readonly hasEnvelope: boolean
  readonly alarms: PayloadAlarm[]
}

/** Raises an alarm, once for each fact: the first place says enough. */
export function alarm(evidence: Evidence, code: PayloadAlarm['code'], fact?: string, path?: string): void {
  const known = evidence.alarms.some((each) => each.code === code && each.fact === fact)
  if (known) return
  evidence.alarms.push({ code, ...(fact !== undefined && { fact }), ...(path !== undefined && { path }) })
}

export function reading<T>(value: T, path: string, sure: boolean, how: How = 'guessed'): Reading<T> {
  return { value, path, how, sure }
}

export interface Elected<T> {
  readonly value: T
  readonly hit: Hit
  /** Whether no other candidate says something else. */
  readonly agreed: boolean
}

/**
 * The first candidate that can be read. The others are asked whether they agree; a disagreement raises
 * `fact_conflict`, and a candidate that cannot be read `fact_unreadable`.
 */
export function elect<T>(
  evidence: Evidence,
  fact: string,
  hits: readonly Hit[],
  read: (value: unknown) => T | undefined,
): Elected<T> | undefined {
  let elected: { value: T; hit: Hit } | undefined
  let agreed = true
  for (const hit of hits) {
    const asksOnly = elected !== undefined
    if (asksOnly && isLastResort(hit)) break
    const value = read(hit.value)
    if (value === undefined) noteUnreadable(evidence, fact, hit)
    else if (elected === undefined) elected = { value, hit }
    else if (value !== elected.value) {
      agreed = false
      alarm(evidence, 'fact_conflict', fact, hit.path)
    }
  }
  return elected && { ...elected, agreed }
}

/** The first candidate of a slot that can be read; what the others say does not matter. */
export function firstOf<T>(
  evidence: Evidence,
  slot: string,
  read: (value: unknown) => T | undefined,
): { value: T; path: string; hit: Hit } | undefined {
  for (const hit of hitsOf(evidence.hits, slot)) {
    const value = read(hit.value)
    if (value !== undefined) return { value, path: hit.path, hit }
  }
  return undefined
}

/** A fact that is sure where it is found at all. */
export function plainFact<T>(
  evidence: Evidence,
  slot: string,
  read: (value: unknown) => T | undefined,
): Reading<T> | undefined {
  const found = firstOf(evidence, slot, read)
  return found && reading(found.value, found.path, true)
}

// An object is a way to other candidates, and a last resort is expected to hold other things.
export function noteUnreadable(evidence: Evidence, fact: string, hit: Hit): void {
  if (typeof hit.value === 'object') return
  if (fact.endsWith('Id') && lostDigits(hit.value)) alarm(evidence, 'unsafe_number', fact, hit.path)
  else if (!isLastResort(hit)) alarm(evidence, 'fact_unreadable', fact, hit.path)
}
