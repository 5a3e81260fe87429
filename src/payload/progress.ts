import { STATUSES } from '../contract/index.ts'
import { alarm, type Evidence, firstOf, noteUnreadable, reading } from './evidence.ts'
import type { Facts, Reading } from './facts.ts'
import { type Hit, hitsOf, isLastResort } from './gather.ts'
import { isPlausible, momentOf } from './time.ts'
import { idOf, textOf, wordOf } from './values.ts'

const KNOWN: ReadonlySet<string> = new Set(STATUSES)

/** Where a sent message is: in lower case; what is not one of the known five is kept, and said to be unknown. */
export function readStatus(evidence: Evidence): Pick<Facts, 'status'> {
  for (const hit of hitsOf(evidence.hits, 'status')) {
    const value = statusOf(hit.value)
    if (value === undefined) continue
    const known = KNOWN.has(value)
    if (isLastResort(hit) && !known) continue
    if (!known) alarm(evidence, 'unknown_status', 'status', hit.path)
    return { status: reading(value, hit.path, hit.inMessage) }
  }
  return {}
}

// A number stays what it is: which of the five it means differs from service to service.
export function statusOf(value: unknown): string | undefined {
  return typeof value === 'number' ? idOf(value) : wordOf(value)
}

/** Why it failed; a mere `reason` or `description` counts only where the status is none of success. */
export function readFailure(evidence: Evidence, status: string | undefined): Pick<Facts, 'failureReason'> {
  const found = firstOf(evidence, 'failureReason', textOf)
  if (!found) return {}
  const succeeded = status !== undefined && status !== 'failed' && KNOWN.has(status)
  if (succeeded && isLastResort(found.hit)) return {}
  return { failureReason: reading(found.value, found.path, true) }
}

const STAGE_TIMES: ReadonlySet<string> = new Set(STATUSES.map((status) => `${status}_at`))

/**
 * The payload's own time: sure with a zone, in the message object, at a place of the first choice. Of a status the
 * time of that very status counts, such as `delivered_at`. A time that cannot be true stands back behind others.
 */
export function readTime(evidence: Evidence, status?: string): Pick<Facts, 'at'> {
  let doubtful: Reading<number> | undefined
  for (const hit of hitsOf(evidence.hits, 'at')) {
    if (status !== undefined && isOtherStage(hit, status)) continue
    const moment = momentOf(hit.value)
    if (moment === undefined) {
      noteUnreadable(evidence, 'at', hit)
      continue
    }
    if (!isPlausible(moment.ms, evidence.context.now)) {
      alarm(evidence, 'fact_assumed', 'at', hit.path)
      doubtful ??= reading(moment.ms, hit.path, false)
      continue
    }
    if (!moment.zoned) alarm(evidence, 'fact_assumed', 'at', hit.path)
    return { at: reading(moment.ms, hit.path, moment.zoned && hit.candidate.choice === 'first') }
  }
  return doubtful ? { at: doubtful } : {}
}

function isOtherStage(hit: Hit, status: string): boolean {
  return STAGE_TIMES.has(hit.candidate.path) && hit.candidate.path !== `${status}_at`
}
