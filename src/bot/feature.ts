import type { Hooks, Observers } from './report/observers.ts'
import type { Outbox, RecordSendDeps } from './outbox/record-send.ts'
import type { SendResult } from './outbox/send.ts'
import type { Guard, Watcher } from './watcher.ts'
import type { CustomerOfNumber } from '../store/customers.ts'
import type { Fence } from '../store/work/lanes.ts'

/** What a feature adds to a bot. The app adds it, by a function of the feature's own entry point. */
export interface Feature {
  /** The function that the app calls. */
  readonly name: string
  /** Functions that hear what has happened. They may come before or after the start. */
  readonly hooks?: Hooks
  /** Follows work while it runs. A bot that is started accepts none. */
  readonly watcher?: Watcher
}

/** How a built-in feature makes its methods of a message's context. Each call is an effect of the attempt. */
export type ContextMethods<Members extends object> = {
  readonly [Name in keyof Members]: (of: MessageOfAttempt) => Members[Name]
}

export interface MessageOfAttempt {
  readonly who: CustomerOfNumber
  readonly fence: Fence
  readonly deps: Pick<RecordSendDeps, 'store' | 'clock'>
}

/** A feature that every bot has. `Part`: what a running bot makes of it. */
export interface BuiltInFeature<Part extends BuiltInPart = BuiltInPart> {
  create(deps: BuiltInDeps): Part
  /** The members of a number's sender. `during` throws `not_started` unless the bot runs. */
  senderMembers?(number: string, during: <T>(call: (part: Part) => Promise<T>) => Promise<T>): object
  /** A metric of the database: how many rows are in each state that `countStates` returns. */
  readonly gauge?: { readonly help: string }
}

export interface BuiltInPart {
  /** Begins the work that is due. */
  wake?(): void
  stop?(drainMs: number): Promise<void>
  countStates?(): Promise<Readonly<Record<string, number>>>
  /** Sends contents that the outbox does not record, by their kinds. */
  readonly sends?: Readonly<Record<string, SendContent>>
}

/** Sends what the app passed to `send()`, and checks its options. */
export type SendContent = (given: GivenContent) => Promise<SendResult>

export interface GivenContent {
  readonly number: string
  readonly to: string
  readonly content: unknown
  readonly options: unknown
  /** The delivery whose handler sends it. */
  readonly delivery?: string | undefined
}

export interface BuiltInDeps extends Omit<RecordSendDeps, 'report' | 'onUsed'> {
  readonly recordSend: Outbox['recordSend']
  readonly observers: Observers
  /** Runs a report. */
  readonly guard: Guard
}
