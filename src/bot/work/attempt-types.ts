import type { ProcessLease } from '../lanes/lease.ts'
import type { Clock, Random, Timers } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { MaybeAsync } from '../../base/value.ts'
import type { OptionMembers } from '../../built-in/option-members.ts'
import type { KeptFacts, ReadItem } from '../inbox/read-delivery.ts'
import type { SendContent } from '../feature.ts'
import type { Customers } from '../outbox/customers.ts'
import type { Outbox } from '../outbox/record-send.ts'
import type { Send } from '../outbox/send.ts'
import type { Boundary, CompiledEntered, CompiledRoutes, WhichRoutes } from '../routes/compile.ts'
import type { Message } from '../routes/context.ts'
import type { TapVerifier } from '../routes/tap.ts'
import type { Store } from '../../store/store.ts'
import type { AttemptClock, Effects, StopOrder } from './attempt-clock.ts'
import type { AttemptLimits } from './failure.ts'
import type { OpenSession, SessionRules } from './session.ts'
import type { ChangesOfFeatures } from '../../store/database/effects-of-features.ts'
import type { CustomerOfNumber } from '../../store/database/customer-tables.ts'
import type { SendRow } from '../../store/database/outbox-tables.ts'
import type { NewSilence } from '../../store/inbox/acceptance.ts'
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
  /** False if the bot may answer only a customer whose number the app maps. */
  readonly answersGuessed: boolean
  readonly customers: Customers
  readonly entered: EnteredRoutes | undefined
  readonly silencing: Silencing | undefined
  /** The options of built-in features, as the app gave them. */
  readonly options: OptionMembers
  readonly recordSend: Outbox['recordSend']
  readonly ownSends: ReadonlyMap<unknown, SendContent>
  /** Returns what a second tap of a send runs; undefined if this process did not make it. */
  readonly onUsed: Outbox['onUsed']
}

/** Runs the routes that customers enter, such as conversations. */
export interface EnteredRoutes {
  /** The kinds of the items that it runs. `waits`: they wait while somebody else has the customer. */
  readonly kinds: ReadonlyMap<string, { readonly waits: boolean }>
  runItem(running: RunningAttempt): Promise<void>
  /** Returns the open route that waits for an answer, unless somebody else has the customer. */
  asking(running: RunningAttempt): Promise<OpenRoute | undefined>
  /** Returns false if the messages are no answer. Then the routes get them. */
  answer(open: OpenRoute, messages: readonly Message[], running: RunningAttempt): Promise<boolean>
  /** Tells whether the question accepts this tap. */
  isAnswer(open: OpenRoute, message: Message, running: RunningAttempt): Promise<boolean>
  /** Enters a route at once, with the attempt's customer. */
  enter(made: object, input: unknown, nextSlot: (kind: string) => string, running: RunningAttempt): Promise<void>
  /** Enters a route by a new item of the customer. Resolves with false if the item of the fence was freed. */
  enterNext(who: CustomerOfNumber, made: object, input: unknown, o: EnterNext): Promise<boolean>
  /** Returns the open route of an item that is given up. */
  concerned(running: RunningAttempt): Promise<OpenRoute | undefined>
  /** Calls the app's function for the end of a route that failed. */
  tellFailed(open: OpenRoute, running: RunningAttempt): Promise<void>
  /** Returns the changes that are stored if the item is given up or parked. */
  changesOfFailed(running: RunningAttempt): ChangesOfFeatures
}

/** How a built-in feature makes a bot silent to customers. */
export interface Silencing {
  /** Returns the silence that a message asks for. */
  askedBy(item: ReadItem): NewSilence | undefined
  /** Returns the routes that run for the messages of an item that has a silence. */
  routesFor(messages: readonly Message[], running: RunningAttempt): WhichRoutes
}

export interface OpenRoute {
  readonly compiled: CompiledEntered
}

export interface EnterNext extends Pick<AttemptDeps, 'routes' | 'store' | 'clock'> {
  readonly key: string
  readonly fence?: Fence
}

/** A route or a layer, whose error handlers get the errors of its code. */
export interface ErrorScope {
  readonly id?: string
  readonly boundaries: readonly Boundary[]
}

export interface RunningAttempt {
  readonly deps: AttemptDeps
  readonly item: StartedItem
  readonly fence: Fence
  readonly keepLease: () => MaybeAsync<boolean>
  /** How often its handlers have run before, because somebody else changed the session. */
  readonly reruns: number
  facts: KeptFacts
  /** The send that showed the tapped option. */
  tap?: { readonly row: SendRow; readonly send: Send }
  readonly clock: AttemptClock
  readonly stop: StopOrder
  readonly effects: Effects
  /** Calls of `once` that have begun. A second call waits for the first. */
  onces?: Map<string, Promise<unknown>>
  /** The handlers that have finished. A retry does not run them again. */
  completedHandlers: readonly string[]
  session?: OpenSession
  /** Changes of features, which are stored with the settlement. */
  changes?: ChangesOfFeatures
  /** The open route that ends if the item is given up. */
  inScript?: OpenRoute | undefined
  readonly trace: string | undefined
  route?: string
  /** Set if a person should answer the message. `answered`: a route for silences answered it. */
  ofPerson?: 'unanswered' | 'answered'
  scope: ErrorScope
  errorScopes?: Map<unknown, ErrorScope>
  log?: Log
  failure?: unknown
}
