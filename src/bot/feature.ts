import type { IngestRules, KeptFacts } from './inbox/read-delivery.ts'
import type { Check } from './option-checks.ts'
import type { Hooks, Observers } from './report/observers.ts'
import type { Outbox, RecordSendDeps } from './outbox/record-send.ts'
import type { SendResult } from './outbox/send.ts'
import type { Guard, Watcher } from './watcher.ts'
import type { CustomerOfNumber } from '../store/database/customer-tables.ts'
import type { StartedItem } from '../store/work/items.ts'
import type { Fence } from '../store/work/lanes.ts'

/** What a function such as `traceBot(bot)`, which a feature exports to the app, adds to the bot. */
export interface Feature {
  /** The name of that function. */
  readonly name: string
  /** May be added before or after the start. */
  readonly hooks?: Hooks
  /** Must be added before the start. */
  readonly watcher?: Watcher
}

/** Makes the methods that a built-in feature adds to a message's context. Each call is an effect of the attempt. */
export type ContextMethods<Members extends object> = {
  readonly [Name in keyof Members]: (of: MessageOfAttempt) => Members[Name]
}

export interface MessageOfAttempt extends OneCustomer {
  readonly fence: Fence
}

/** Makes the values that a feature adds to a message's context. `now`: service time at which the handlers began. */
export type ContextValues<Members extends object> = {
  readonly [Name in keyof Members]: (item: StartedItem, now: number) => Members[Name]
}

/** Makes the methods that a feature adds to `bot.to(customer)`. The context of a message has them too. */
export type CustomerMethods<Members extends object> = {
  readonly [Name in keyof Members]: (of: OneCustomer) => Members[Name]
}

export interface OneCustomer {
  readonly who: CustomerOfNumber
  /** Undefined outside handlers. */
  readonly fence: Fence | undefined
  readonly deps: Pick<RecordSendDeps, 'store' | 'clock'>
}

/** A feature that every bot has. Each running bot has one `Part` of it. */
export interface BuiltInFeature<Part extends BuiltInPart = BuiltInPart> {
  create(deps: BuiltInDeps): Part
  /** The members that the feature adds to a number's sender. `during` throws `not_started` unless the bot runs. */
  senderMembers?(number: string, during: <T>(call: (part: Part) => Promise<T>) => Promise<T>): object
  /** Describes the metric that shows the counts of `countStates`. */
  readonly gauge?: { readonly help: string }
}

export interface BuiltInPart {
  /** Called when work may be due. */
  wake?(): void
  stop?(drainMs: number): Promise<void>
  countStates?(): Promise<Readonly<Record<string, number>>>
  /** By kind of content: the functions that send the feature's own contents, such as one-time codes. */
  readonly sends?: Readonly<Record<string, SendContent>>
}

/** Checks the options of `send()`, and sends. */
export type SendContent = (given: GivenContent) => Promise<SendResult>

export interface GivenContent {
  readonly number: string
  readonly to: string
  readonly content: unknown
  readonly options: unknown
  /** The delivery whose handler called `send()`. */
  readonly delivery?: string | undefined
}

export interface BuiltInDeps extends Omit<RecordSendDeps, 'report' | 'onUsed'> {
  readonly recordSend: Outbox['recordSend']
  readonly observers: Observers
  readonly guard: Guard
}

/** An option of `createBot` that a built-in feature adds. */
export interface BuiltInOption<Given = never> {
  readonly check: Check
  /** Returns how a message waits for later ones of its customer, to be handled with them as a bundle. */
  gathers?(given: Given, routes: { isHandledAlone(message: KeptFacts['values']): boolean }): IngestRules['gathers']
}
