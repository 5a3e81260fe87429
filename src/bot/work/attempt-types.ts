import type { Clock, Random, Timers } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { Tracer } from '../spans.ts'
import type { MaybeAsync } from '../../base/value.ts'
import type { KeptFacts } from '../in/read-item.ts'
import type { CodeIntent } from '../out/one-time-codes.ts'
import type { SendIntent } from '../out/record-send.ts'
import type { SendResult } from '../out/send.ts'
import type { OptOuts } from '../out/opt-outs.ts'
import type { Takeovers } from '../out/takeover.ts'
import type { Boundary, CompiledConversation, CompiledRoutes } from '../routes/compile.ts'
import type { TapOpener } from '../routes/tap.ts'
import type {
  ConversationChange,
  Fence,
  JournalStep,
  NewConversation,
  StartedItem,
  Waits,
} from '../../store/types/types.ts'
import type { Store } from '../../store/store.ts'
import type { AttemptClock, Effects, StopOrder } from './attempt-clock.ts'
import type { AttemptLimits } from './failure.ts'
import type { OpenSession, SessionRules } from './session.ts'

export interface AttemptDeps {
  readonly store: Store
  readonly routes: CompiledRoutes
  readonly session: SessionRules | undefined
  openerFor(item: StartedItem): TapOpener
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly log: Log
  readonly limits: AttemptLimits
  pseudonym(customer: string): string
  /** In development a mistake is an error or a warning at once. */
  readonly strict: boolean
  /** Each script runs twice over its journal, and must do the same. */
  readonly development: boolean
  /** A reply to a message older than this is not sent; undefined: however old. */
  readonly staleAfterMs: number | undefined
  /** Whether routes run while somebody else has the customer. */
  readonly whileTakenOver: 'rest' | 'run'
  /** The time for which a send pauses the service's agent, if the app knows it. */
  readonly takeoverMs: number | undefined
  /** True if the bot may answer a customer whose number was guessed; otherwise only one that the app maps. */
  readonly answersGuessed: boolean
  readonly takeovers: Takeovers
  readonly optOuts: OptOuts
  readonly tracer?: Tracer | undefined
  recordSend(intent: SendIntent): Promise<SendResult>
  sendCode(intent: CodeIntent): Promise<SendResult>
}

export interface Part {
  readonly id?: string
  readonly boundaries: readonly Boundary[]
}

export interface LoadedConversation {
  readonly conversation: NewConversation
  readonly compiled: CompiledConversation
  readonly steps: readonly JournalStep[]
  readonly waits: Waits | undefined
}

export interface RunningAttempt {
  readonly item: StartedItem
  readonly fence: Fence
  readonly keepLane: () => MaybeAsync<boolean>
  /** How often its handlers have run before in this attempt: the session was changed from outside meanwhile. */
  readonly reruns: number
  readonly facts: KeptFacts
  /** Its deadline and its stop. For the time, use the clock of `AttemptDeps`. */
  readonly clock: AttemptClock
  /** Given when the bot stops: then the attempt is given back. */
  readonly stop: StopOrder
  readonly effects: Effects
  /** The effects that `once` has begun in this attempt, by name: a second call waits for the first. */
  onces?: Map<string, Promise<unknown>>
  /** Handlers that have finished; on a retry they do not run again. */
  completedHandlers: readonly string[]
  session?: OpenSession
  /** The changes that the attempt makes to conversations; written with its settlement. */
  conversations?: readonly ConversationChange[]
  /** The conversation whose script runs, failed, or has gone on: if the attempt is given up, the conversation ends. */
  inScript?: LoadedConversation | undefined
  readonly trace: string | undefined
  route?: string
  part: Part
  errorParts?: Map<unknown, Part>
  log?: Log
  failure?: unknown
}
