import { AttemptOver, type Send } from '../outbox/send.ts'
import type { ProcessLease } from '../lanes/lease.ts'
import type { Clock, Random, Timers } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { MaybeAsync } from '../../base/value.ts'
import type { OptionMembers } from '../../built-in/option-members.ts'
import type { KeptFacts, ReadItem } from '../inbox/read-delivery.ts'
import type { SendContent } from '../feature.ts'
import type { Customers } from './forget-and-opt-out.ts'
import type { RecordSendDeps } from '../outbox/record-send.ts'
import type { Boundary, CompiledEntered, CompiledRoutes, WhichRoutes } from '../routes/compile.ts'
import type { Message } from '../routes/context.ts'
import type { TapVerifier } from '../routes/tap.ts'
import type { Store } from '../../store/store.ts'
import type { OpenSession, SessionRules } from './session.ts'
import type { ChangesOfFeatures } from '../../store/database/effects-of-features.ts'
import type { CustomerOfNumber } from '../../store/database/customer-tables.ts'
import type { SendRow } from '../../store/database/outbox-tables.ts'
import type { NewSilence } from '../../store/inbox/arrive.ts'
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
  /** Records replies, and sends of handlers. */
  readonly outbox: RecordSendDeps
  readonly ownSends: ReadonlyMap<unknown, SendContent>
}

export interface AttemptLimits {
  readonly max: number
  /** A failing item is given up so many milliseconds after its ingest. */
  readonly withinMs: number
  /** Milliseconds for one attempt; waiting for replies does not count. */
  readonly deadlineMs: number
}

/** Runs the routes that customers enter, such as conversations. */
export interface EnteredRoutes {
  /** The kinds of the items that it runs. `restsInSilence`: they wait until a silence has ended. */
  readonly kinds: ReadonlyMap<string, { readonly restsInSilence: boolean }>
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
  /** Returns the route that the customer is in, and that ends because the item is given up. */
  concerned(running: RunningAttempt): Promise<OpenRoute | undefined>
  /** Calls the app's `onEnd` of a route that ended by a failure. */
  tellFailed(open: OpenRoute, running: RunningAttempt): Promise<void>
  /** Returns the changes that are stored if the item is given up or parked. */
  changesOfFailed(running: RunningAttempt): ChangesOfFeatures
}

export interface Silencing {
  /** Returns the silence that a message requests, for example because the customer typed BOT. */
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
  /** How often the item's handlers ran before in this attempt, because another writer changed the session. */
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
  /** The route that the customer is in, which ends if the item is given up. */
  openRoute?: OpenRoute | undefined
  readonly trace: string | undefined
  route?: string
  /** Set if a person should answer the message. `answered`: a route for silences answered it. */
  ofPerson?: 'unanswered' | 'answered'
  scope: ErrorScope
  errorScopes?: Map<unknown, ErrorScope>
  log?: Log
  failure?: unknown
}

export function isOfCustomer({ item: { kind } }: RunningAttempt): boolean {
  return kind === 'message' || kind === 'signal'
}

// ── its lease and its deadline ──────────────────────────────────────────────────────────────────────

/** Thrown when another process took over and may handle the item: no handler may begin here. */
export class LeaseLost extends Error {}

/** Thrown to release the item to a process that has its conversation's script. Later items of its lane wait. */
export class LeftToOthers extends Error {
  readonly waitMs: number

  constructor(waitMs: number, why: string) {
    super(why)
    this.waitMs = waitMs
  }
}

/** Call this before handlers begin: reading may have taken longer than the lease. @throws LeaseLost, AttemptOver */
export async function checkLease({ keepLease, clock }: RunningAttempt): Promise<void> {
  if (!(await keepLease())) throw new LeaseLost('another process took over')
  clock.check()
}

/** Whether the bot stops. `end` ends the attempt at once. */
export interface StopOrder {
  given: boolean
  end: () => void
}

/**
 * The deadline of one attempt. After it, or when the bot stops, each effect throws `AttemptOver`. If only the item was
 * freed, the attempt continues until its next effect under the fence.
 */
export class AttemptClock {
  readonly #deadlineMs: number
  readonly #timers: Timers
  readonly #now: () => number
  #left: number
  #pauses = 0
  #finished = false
  #over: AttemptOver | undefined
  #controller: AbortController | undefined
  #timer: { readonly cancel: () => void; readonly since: number }
  readonly #racing: ((over: AttemptOver) => void)[] = []

  constructor(deadlineMs: number, timers: Timers, now: () => number, stop: StopOrder) {
    this.#deadlineMs = deadlineMs
    this.#timers = timers
    this.#now = now
    this.#left = deadlineMs
    this.#timer = this.#arm()
    stop.end = () => this.#end('the bot stops')
    if (stop.given) stop.end()
  }

  /** Made when first needed, because a signal is expensive. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController()
      if (this.#over) this.#controller.abort(this.#over)
    }
    return this.#controller.signal
  }

  isOver(): boolean {
    return this.#over !== undefined
  }

  isFinished(): boolean {
    return this.#finished
  }

  /** @throws AttemptOver */
  check(): void {
    if (this.#over) throw this.#over
    if (this.#finished) throw new AttemptOver('it has ended')
  }

  /** Resolves or rejects like `work`, or rejects when the attempt ends first. */
  race<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      work.then(resolve, reject)
      if (this.#over) reject(this.#over)
      else this.#racing.push(reject)
    })
  }

  /** Time in `waiting` does not count towards the deadline. @throws AttemptOver */
  async paused<T>(waiting: () => Promise<T>): Promise<T> {
    this.check()
    if (this.#pauses++ === 0) {
      const { cancel, since } = this.#timer
      cancel()
      // If the clock went back, a handler that hangs must not get more time.
      this.#left = Math.max(0, this.#left - Math.max(0, this.#now() - since))
    }
    try {
      return await waiting()
    } finally {
      if (--this.#pauses === 0 && !this.#finished && !this.#over) this.#timer = this.#arm()
    }
  }

  /** Call this when the handlers and their effects have ended. */
  finish(): void {
    this.#finished = true
    this.#timer.cancel()
  }

  #arm() {
    const end = () => this.#end(`its deadline of ${this.#deadlineMs} ms has passed`)
    return { since: this.#now(), cancel: this.#timers.after(this.#left, end) }
  }

  #end(why: string): void {
    if (this.#over) return
    this.#over = new AttemptOver(why)
    this.#timer.cancel()
    this.#controller?.abort(this.#over)
    for (const reject of this.#racing) reject(this.#over)
  }
}

// ── its effects ─────────────────────────────────────────────────────────────────────────────────────

/** The effects of one attempt. The attempt also waits for effects that no handler awaits, and fails if these fail. */
export class Effects {
  readonly #begun: Effect<unknown>[] = []

  begin<T>(run: () => Promise<T>): Promise<T> {
    const effect = new Effect<T>((resolve, reject) => void run().then(resolve, reject))
    this.#begun.push(effect)
    return effect
  }

  /** Resolves when all effects have ended; rejects with the first error that no handler has seen, each error once. */
  async ended(): Promise<void> {
    for (let effect = this.#begun.shift(); effect; effect = this.#begun.shift()) {
      const failed = await effect.ended
      if (failed && !effect.seen) throw failed.error
    }
  }
}

class Effect<T> extends Promise<T> {
  seen = false
  /** Made by `super.then`, so that `seen` stays false. As it handles each rejection, Node reports none as unhandled. */
  readonly ended: Promise<{ error: unknown } | undefined> = super.then(
    () => undefined,
    (error: unknown) => ({ error }),
  )

  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }

  // oxlint-disable-next-line unicorn/no-thenable -- it is a promise
  override then<A = T, B = never>(
    onFulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.seen = true
    return super.then(onFulfilled, onRejected)
  }
}

// ── the slots of its replies ────────────────────────────────────────────────────────────────────────

/** Returns the name that the app gave the reply of a slot; undefined if it gave none. */
export function nameOfSlot(slot: string): string | undefined {
  const at = NUMBERED.test(slot) ? -1 : slot.lastIndexOf(NAMED)
  return at < 0 ? undefined : slot.slice(at + NAMED.length)
}

const NAMED = '/reply:'
/** The end of a slot without a name. The words of a route in front of it may look like a name. */
const NUMBERED = /\/(?:reply|to:[^/]*)#\d+$/

export type Slots = ReturnType<typeof slotsOf>

/** Names the sends and `once` effects of one route, by the app's name or by their order, for their keys. */
export function slotsOf(route: string, running: RunningAttempt) {
  let unnamed: Map<string, number> | undefined
  return {
    once: (name: string) => `${route}/${name}`,
    next(kind: string, name?: string): string {
      if (name !== undefined) return `${route}/${kind}:${name}`
      unnamed ??= new Map()
      const nth = (unnamed.get(kind) ?? 0) + 1
      unnamed.set(kind, nth)
      if (nth === 2 && running.deps.strict)
        running.deps.log.warn(
          { route, delivery: running.item.delivery.deliveryId },
          'only their order distinguishes two unnamed replies in one route: name them with { slot } if that order may change',
        )
      return `${route}/${kind}#${nth}`
    },
  }
}

// ── the scopes of its errors ────────────────────────────────────────────────────────────────────────

type InScope = Pick<RunningAttempt, 'scope' | 'errorScopes'>

/** Runs code of the app, whose errors go to the error handlers of this scope. */
export async function withinScope<T>(running: InScope, scope: ErrorScope, run: () => T | Promise<T>): Promise<T> {
  const outer = running.scope
  running.scope = scope
  try {
    return await run()
  } catch (error) {
    assignScope(running, error, scope)
    throw error
  } finally {
    // Restore the outer scope: an error that interrupts the attempt goes to the scope in which it waits then.
    running.scope = outer
  }
}

/** Assigns the errors of an effect to the scope in which it began: it may fail while other code runs. */
export async function trackedInScope<T>(running: InScope, work: () => Promise<T>): Promise<T> {
  const { scope } = running
  try {
    return await work()
  } catch (error) {
    assignScope(running, error, scope)
    throw error
  }
}

/** Gives an error its scope, unless it has one: so the innermost scope that it passes through counts. */
export function assignScope(running: InScope, error: unknown, scope: ErrorScope): void {
  running.errorScopes ??= new Map()
  if (!running.errorScopes.has(error)) running.errorScopes.set(error, scope)
}

export function scopeOf({ errorScopes, scope }: InScope, error: unknown): ErrorScope {
  return errorScopes?.get(error) ?? scope
}
