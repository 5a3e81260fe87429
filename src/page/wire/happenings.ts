import type { AttemptOutcome, Clock, Customer, DeliveryView, Handset, Subscription, ThreadItem } from './types.ts'

/** Something that happened in the emulator, as the stream and the timeline report it. */
export type Happening =
  | (Base & {
      readonly kind: 'api'
      readonly call: string
      readonly method: string
      readonly path: string
      readonly status: number
      readonly code: string | null
      readonly tookMs: number
      readonly customer: string | null
      readonly spoilt?: string
    })
  | (Base & {
      readonly kind: 'control'
      readonly method: string
      readonly path: string
      readonly status: number
      readonly code?: string | null
      /** The change itself, unless it is secret. */
      readonly change?: Readonly<Record<string, unknown>>
    })
  | (Base & { readonly kind: 'thread'; readonly customer: string; readonly item: ThreadItem })
  | (Base & { readonly kind: 'handset'; readonly customer: string; readonly handset: Handset })
  | (Base & {
      readonly kind: 'window'
      readonly window: { readonly customer: string } & Customer['windows'][number]
    })
  /** `movedMs` is negative if the clock went back. */
  | (Base & { readonly kind: 'clock'; readonly clock: Clock; readonly movedMs: number })
  | (Base & {
      readonly kind: 'event'
      readonly event: {
        readonly id: string
        readonly event: string
        readonly customer: string | null
        readonly deliveryIds: readonly string[]
      }
    })
  | (Base & { readonly kind: 'delivery'; readonly delivery: DeliveryChange })
  | (Base & { readonly kind: 'subscription'; readonly subscription: Subscription })
  | (Base & {
      readonly kind: 'agent'
      readonly agent: {
        readonly number: string
        readonly customer: string
        readonly state: 'paused' | 'active'
        readonly pausedUntil: string | null
        /** True if the number has an AI agent at all. */
        readonly on: boolean
      }
    })
  | (Base & { readonly kind: 'resync' })

interface Base {
  readonly id: string
  readonly at: string
}

/** The summary of a delivery that the stream sends. */
export type DeliveryChange = Pick<DeliveryView, 'id' | 'event' | 'customer' | 'message' | 'state'> & {
  readonly attempts: number
  /** The status that a `message.status` tells of. */
  readonly status?: string
  readonly last?: AttemptOutcome
}

/** Splits a happening's id into the mark of the emulator's run and a number that grows within the run. */
export function parseHappeningId(id: string): { readonly mark: string; readonly number: number } {
  const [mark = '', number = 0] = id.split('-')
  return { mark, number: Number(number) }
}

/** The happenings that come after `last`, each once: a stream that reconnects repeats what it sent before. */
export function newHappenings(received: readonly Happening[], last: string): readonly Happening[] {
  let latest = last
  return received.filter(({ id }) => {
    if (!isAfter(id, latest)) return false
    latest = id
    return true
  })
}

function isAfter(id: string, last: string): boolean {
  const [one, before] = [parseHappeningId(id), parseHappeningId(last)]
  return one.mark !== before.mark || one.number > before.number
}
