import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Fence } from '../stores/port/index.ts'
import type { SendResult } from './send.ts'

/** A code under way in this process. */
interface UnderWay {
  readonly fence: Fence
  readonly result: Promise<SendResult>
}

/**
 * What this process alone knows of one-time codes: which are under way, and whether one that is sent again is the same.
 * A plain hash of six digits is as good as the digits, so they are compared under a key that nothing but this memory has.
 */
export interface CodesInMemory {
  begin(id: string, body: string, underWay: UnderWay): void
  /** What came of a code, where the same one was begun here. */
  same(id: string, body: string): Promise<SendResult> | undefined
  /** The lanes that are held for codes under way. */
  heldLeases(): readonly Fence[]
  /** Resolves when nothing is under way any more. */
  idle(): Promise<unknown>
  /** No code of this number is tried again before, by wall time: a 429 limits the number and no request (SEND-22). */
  limit(number: string, until: number): void
  /** Wall time; 0 where none was limited. */
  limitedUntil(number: string): number
}

/** So many results are remembered; older ones are told apart no more. */
const REMEMBERED = 1_000

export function createCodesInMemory(): CodesInMemory {
  const key = randomBytes(32)
  const known = new Map<string, { readonly mac: Buffer; readonly result: Promise<SendResult> }>()
  const running = new Map<string, UnderWay>()
  const limits = new Map<string, number>()
  const macOf = (body: string) => createHmac('sha256', key).update(body).digest()

  return {
    begin(id, body, underWay) {
      running.set(id, underWay)
      known.set(id, { mac: macOf(body), result: underWay.result })
      const [oldest] = known.keys()
      if (known.size > REMEMBERED && oldest !== undefined) known.delete(oldest)
      const ended = () => void running.delete(id)
      underWay.result.then(ended, ended)
    },
    same(id, body) {
      const one = known.get(id)
      return one && timingSafeEqual(one.mac, macOf(body)) ? one.result : undefined
    },
    heldLeases: () => [...running.values()].map(({ fence }) => fence),
    idle: () => Promise.allSettled([...running.values()].map(({ result }) => result)),
    limit(number, until) {
      limits.set(number, Math.max(until, limits.get(number) ?? 0))
    },
    limitedUntil: (number) => limits.get(number) ?? 0,
  }
}
