import { type Lock, type PayloadAlarm, readBody } from '../../payload/index.ts'
import type { NamedPayload } from './lock-evidence.ts'

/** A payload for which the lock does not hold. */
export interface Broken {
  /** The fixture, or the delivery. */
  readonly name: string
  readonly event: string
  readonly fact: string
  /** `lock_broken`, or what is wrong with the value at its place. */
  readonly code: string
  readonly detail: string
  /** Its shape is too large to be locked. */
  readonly tooLarge: boolean
}

// No clock is needed to tell where a time stands.
const LATEST = Date.UTC(9999, 0)

/**
 * Reads payloads under a lock, as a bot would. `newShapes`: those for which it holds, of a shape that it does not know.
 * `notLocked`: those of events that it does not name, or that cannot be read at all.
 */
export function checkLock(lock: Lock, payloads: readonly NamedPayload[]) {
  const broken: Broken[] = []
  let [held, newShapes, notLocked] = [0, 0, 0]
  for (const { name, event, body } of payloads) {
    const locked = lock.of(event)
    const read = readBody(body, { event, deliveryId: undefined, now: LATEST, lock: locked })
    if (!locked || 'refused' in read) {
      notLocked++
      continue
    }
    const alarms = read.views.flatMap((view) => view.alarms)
    const fault = alarms.find(({ code, fact }) => FAULTS.has(code) && lock.locks(event, fact ?? ''))
    if (!fault) held++
    else
      broken.push({
        name,
        event,
        fact: fault.fact ?? '',
        code: fault.code,
        detail: detailOf(fault),
        tooLarge: read.shape().truncated,
      })
    if (!fault && !locked.knowsShape(read.shape())) newShapes++
  }
  return { held, broken, newShapes, notLocked }
}

const FAULTS: ReadonlySet<string> = new Set(['lock_broken', 'fact_unreadable', 'fact_conflict', 'fact_missing'])

function detailOf({ code, path, detail }: PayloadAlarm): string {
  return detail ?? (path === undefined ? `not found (${code})` : `not to be read at ${path} (${code})`)
}

export function checkText({ name, event, fact, detail }: Broken): string {
  return `${name}: ${event}.${fact} is ${detail}`
}
