import type { Lock } from '../../payload/index.ts'
import { readBody } from '../../payload/index.ts'
import type { NamedPayload } from './lock-evidence.ts'

/** A payload for which the lock does not hold. */
export interface Broken {
  /** The fixture, or the delivery. */
  readonly name: string
  readonly event: string
  readonly fact: string
  readonly detail: string
}

export interface Checked {
  readonly held: number
  readonly broken: readonly Broken[]
  /** Payloads for which the lock holds, of a shape that it does not know. */
  readonly newShapes: number
  /** Payloads of events that the lock does not name, or that cannot be read at all. */
  readonly notLocked: number
}

// No clock is needed to tell where a time stands.
const LATEST = Date.UTC(9999, 0)

/** Reads payloads under a lock, as a bot would. */
export function checkLock(lock: Lock, payloads: readonly NamedPayload[]): Checked {
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
    if (fault)
      broken.push({ name, event, fact: fault.fact ?? '', detail: fault.detail ?? `${fault.code} at ${fault.path}` })
    else held++
    if (!fault && !locked.knowsShape(read.shape())) newShapes++
  }
  return { held, broken, newShapes, notLocked }
}

const FAULTS: ReadonlySet<string> = new Set(['lock_broken', 'fact_unreadable', 'fact_conflict'])

export function checkText({ name, event, fact, detail }: Broken): string {
  return `${name}: ${event}.${fact} is ${detail}`
}
