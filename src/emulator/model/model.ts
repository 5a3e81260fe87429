import type { KnownStatus } from '../../service/delivery.ts'
import type { Random, Timers } from '../../base/clock.ts'
import { type ConnectedNumber, createAccount } from './account.ts'
import { type AgentChange, createAgent } from './agent.ts'
import type { Assumptions } from './assumptions.ts'
import { createEmulatorClock, createSchedule } from './emulated-clock.ts'
import { createFaults } from './faults.ts'
import { createIds, seededRandom } from './ids.ts'
import { createKeys } from './keys.ts'
import { createPhones, type Handset, type Phone, type SentMessage } from './phones.ts'
import { createTemplates, type Template } from './templates.ts'
import type { Inbound, ThreadItem } from './thread.ts'

export type Model = ReturnType<typeof createModel>

/** Call this after each change of the model. Returns the ids of the resulting deliveries. */
export type Publish = (change: ModelChange) => string[]

export type ModelChange = VisibleChange | ServiceChange

/** A change that the timeline shows. It has the form of an entry of the control API's stream. */
export type VisibleChange =
  | { readonly kind: 'thread'; readonly customer: string; readonly item: ThreadItem }
  | { readonly kind: 'handset'; readonly customer: string; readonly handset: Handset }
  | {
      readonly kind: 'window'
      readonly window: { readonly customer: string; readonly number: string; readonly closesAt: string }
    }
  | { readonly kind: 'agent'; readonly agent: AgentChange }
  /** `movedMs` is negative if the clock moved back. */
  | {
      readonly kind: 'clock'
      readonly clock: { readonly now: string; readonly offsetMs: number }
      readonly movedMs: number
    }

export type ServiceChange =
  | { readonly kind: 'received'; readonly number: ConnectedNumber; readonly message: Inbound }
  | { readonly kind: 'sent'; readonly phone: Phone; readonly sent: SentMessage }
  | {
      readonly kind: 'status'
      readonly phone: Phone
      readonly sent: SentMessage
      readonly status: KnownStatus
      readonly failureReason?: string | undefined
    }
  | { readonly kind: 'template_reviewed'; readonly template: Template; readonly previousStatus: string }

/** Counts calls with the same text. The count chooses the next payload shape, or upper or lower case for a status. */
export type Rotation = (of: string) => number

export interface ModelDeps {
  readonly assumptions: Assumptions
  readonly accessToken: string
  readonly seed: number
  readonly timers: Timers
  readonly wall: () => Date
  readonly start: Date | undefined
  readonly publish: Publish
}

/** The state of the service. `publish` records each change, and makes the events that follow from it. */
export function createModel(deps: ModelDeps) {
  const { publish } = deps
  const random = seededRandom(deps.seed)
  const assumptions = { ...deps.assumptions }
  const clock = createEmulatorClock(deps.wall, deps.start)
  const ids = createIds(random)
  return {
    /** Read these at each use, because a person or a test may change them at any time. */
    assumptions,
    account: createAccount(deps.accessToken),
    clock,
    schedule: createSchedule(deps.timers, clock.wall),
    ids,
    // Publish a copy, because the item on the phone changes later.
    phones: createPhones((customer, item) => void publish({ kind: 'thread', customer, item: { ...item } })),
    agent: createAgent(clock.now, (change) => void publish({ kind: 'agent', agent: change })),
    templates: createTemplates(ids),
    keys: createKeys({ now: clock.now, assumptions }),
    faults: createFaults(),
    rotation: createRotation(random),
    publish,
  }
}

function createRotation(random: Random): Rotation {
  const first = Math.floor(random() * 1_000)
  const next = new Map<string, number>()
  return (of) => {
    const count = next.get(of) ?? first
    next.set(of, count + 1)
    return count
  }
}
