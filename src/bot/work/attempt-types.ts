import type { ProcessLease } from '../lanes/lease.ts'
import type { Clock, Random, Timers } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { MaybeAsync } from '../../base/value.ts'
import type { KeptFacts } from '../inbox/read-delivery.ts'
import type { SendContent } from '../feature.ts'
import type { Customers } from '../outbox/customers.ts'
import type { SendIntent } from '../outbox/record-send.ts'
import type { Send, SendResult } from '../outbox/send.ts'
import type { Boundary, CompiledConversation, CompiledRoutes } from '../routes/compile.ts'
import type { OnUsed } from '../../service/interactive.ts'
import type { TapVerifier } from '../routes/tap.ts'
import type { Store } from '../../store/store.ts'
import type { AttemptClock, Effects, StopOrder } from './attempt-clock.ts'
import type { AttemptLimits } from './failure.ts'
import type { OpenSession, SessionRules } from './session.ts'
import type { ConversationChange, JournalStep, NewConversation } from '../../store/conversations.ts'
import type { Waits } from '../../store/rules/items.ts'
import type { SendRow } from '../../store/tables/outbox-tables.ts'
import type { StartedItem } from '../../store/work/items.ts'
import type { Fence } from '../../store/work/lanes.ts'

export interface AttemptDeps {
  readonly store: Store
  readonly routes: CompiledRoutes
  readonly session: SessionRules | undefined
  tapVerifierOf(item: StartedItem): TapVerifier
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly log: Log
  readonly limits: AttemptLimits
  readonly lease: Pick<ProcessLease, 'mayBeAhead'>
  pseudonym(customer: string): string
  readonly strict: boolean
  /** The age in ms above which a reply to a message is not sent. */
  readonly staleAfterMs: number | undefined
  readonly whileTakenOver: 'rest' | 'run'
  /** False if the bot may answer only a customer whose number the app maps. */
  readonly answersGuessed: boolean
  readonly customers: Customers
  recordSend(intent: SendIntent): Promise<SendResult>
  readonly ownSends: ReadonlyMap<unknown, SendContent>
  /** Returns what a second tap of a send runs; undefined if this process did not make it. */
  onUsed(key: string): OnUsed | undefined
}

/** A route, a layer or a conversation, whose error handlers get the errors of its code. */
export interface ErrorScope {
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
  readonly deps: AttemptDeps
  readonly item: StartedItem
  readonly fence: Fence
  readonly keepLease: () => MaybeAsync<boolean>
  /** How often its handlers have run before, because the session was changed from outside. */
  readonly reruns: number
  facts: KeptFacts
  /** The send whose option was tapped. */
  tap?: { readonly row: SendRow; readonly send: Send }
  readonly clock: AttemptClock
  readonly stop: StopOrder
  readonly effects: Effects
  /** Calls of `once` that have begun. A second call waits for the first. */
  onces?: Map<string, Promise<unknown>>
  /** The handlers that have finished. A retry does not run them again. */
  completedHandlers: readonly string[]
  session?: OpenSession
  /** Changes of conversations, written with the settlement. */
  conversations?: readonly ConversationChange[]
  /** The conversation that ends if the attempt is given up. */
  inScript?: LoadedConversation | undefined
  readonly trace: string | undefined
  route?: string
  /** Set if a person should answer the message. `answered`: a route of `whileTakenOver` answered it. */
  ofPerson?: 'unanswered' | 'answered'
  scope: ErrorScope
  errorScopes?: Map<unknown, ErrorScope>
  log?: Log
  failure?: unknown
}
