import type { Clock, Random, Timers } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Takeover, SendIntent, CodeIntent, SendResult } from '../outbox/index.ts'
import type { Fence, StartedItem, Store } from '../stores/port/index.ts'
import type { AttemptClock } from './attempt-clock.ts'
import type { Effects } from './effects.ts'
import type { AttemptLimits } from './failure.ts'
import type { Boundary, CompiledRoutes, TapOpener } from '../routes/index.ts'
import type { KeptFacts } from '../ingest/read-item.ts'
import type { OpenSession, SessionRules } from './session.ts'

export interface AttemptDeps {
  readonly store: Store
  readonly routes: CompiledRoutes
  readonly session: SessionRules | undefined
  /** Opens what this customer tapped. */
  openerFor(item: StartedItem): TapOpener
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly log: Log
  readonly limits: AttemptLimits
  /** How the log names a customer. */
  pseudonym(customer: string): string
  /** In development what may go wrong later is told at once. */
  readonly strict: boolean
  /** From this age of its message on, a reply is not sent; undefined: however old. */
  readonly staleAfterMs: number | undefined
  /** How long a send pauses the service's agent, where the app knows it. */
  readonly takeoverMs: number | undefined
  /** Whether a guessed customer may be answered, or a mapped one alone. */
  readonly answersGuessed: boolean
  readonly takeover: Takeover
  recordSend(saying: SendIntent): Promise<SendResult>
  sendCode(saying: CodeIntent): Promise<SendResult>
}

/** One attempt at one item, as its handlers' contexts see it. */
export interface RunningAttempt {
  readonly item: StartedItem
  readonly fence: Fence
  readonly facts: KeptFacts
  readonly clock: AttemptClock
  /** Aborted when the bot stops: then the attempt is given back. */
  readonly stopping: AbortSignal
  readonly effects: Effects
  /** The effects that `once` has begun in this attempt, by name: who asks twice waits for the first. */
  readonly onces: Map<string, Promise<unknown>>
  /** Handlers that have finished; on a retry they do not run again. */
  readonly completedHandlers: string[]
  /** Opened when a message's handlers need it. */
  session: OpenSession | undefined
  /** Who hears of its failure: the routes that it is in now, and those around them. */
  boundaries: readonly Boundary[]
  /** Who hears of an error that came out of a part of the app. */
  readonly errorBoundaries: Map<unknown, readonly Boundary[]>
  /** What it failed with. */
  failure?: unknown
}
