import type { ProcessLease } from '../lanes/lease.ts'
import type { Clock, Random, Timers } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { Watcher } from '../watcher.ts'
import type { MaybeAsync } from '../../base/value.ts'
import type { Client } from '../../client/client.ts'
import type { Store } from '../../store/store.ts'
import type { Long } from './long.ts'
import type { KeysRememberedFor } from './outcome.ts'
import type { SameCustomer } from '../same-customer.ts'
import type { TapSigner } from './tap-signature.ts'
import type { NewSend } from '../../store/outbox/rows.ts'
import type { SendSettlement } from '../../store/outbox/settle.ts'
import type { NumberThrottle } from '../../store/rules/sends.ts'
import type { SendRow } from '../../store/tables/outbox-tables.ts'

export interface SendDeps {
  readonly store: Store
  readonly lease: ProcessLease
  /** False in a process that only receives. Other processes send what it records. */
  readonly begins: boolean
  /** How many business numbers the bot has, or may have. */
  readonly numbers: number
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly log: Log
  readonly onUnknown: 'repeat' | 'hold'
  readonly keysRememberedFor: KeysRememberedFor
  readonly tapSigner: TapSigner
  /** True in development: a reply that changed between two runs is an error. */
  readonly strict: boolean
  readonly long: Long
  readonly templateParameters: 'refuse' | 'send'
  /** The allowed recipients, in digits; undefined allows all. */
  readonly allowedRecipients: ReadonlySet<string> | undefined
  readonly sameCustomer: SameCustomer
  /** All numbers belong to one business, so an opt-out on one of them counts on all. */
  readonly oneBusiness: boolean
  /** True if a handler is registered for failed sends whose caller no longer waits. */
  readonly reportsFailures: boolean
  readonly report: SendReport
  readonly watcher?: Watcher | undefined
  /** Undefined if the app set no token for it. @throws SwitchhookError `no_access_token`, `number_unavailable` */
  client(number: string): MaybeAsync<Client | undefined>
  /**
   * Called after the service has refused a token. Asks for the number's token again, and returns a client if that is another
   * one. `since`: monotonic time at which the refused attempt began.
   */
  readonly clientAfterRefusal?:
    | ((number: string, refused: Client, since: number) => Promise<Client | undefined>)
    | undefined
}

export interface SettledSendAttempt {
  /** The number of the attempt, from 1. A fallback counts from 1 again. */
  readonly number: number
  readonly via: SendRow['via']
  /** Milliseconds until the service answered, or the attempt ended without an answer. */
  readonly durationMs: number
}

export interface SendReport {
  /**
   * @param send its row after the settlement.
   * @param attempt the settled attempt; undefined if the send ended without one.
   */
  settled(send: SendRow, settlement: SendSettlement, attempt: SettledSendAttempt | undefined): void
  /** A rerun, or a second send under the same key, produced another text. */
  diverged(send: SendRow, slot: string): void
  /** An attempt failed with an error that the client does not know. */
  unexpectedError(send: SendRow, error: unknown): void
  /** No message of this number is sent until the pause ends, or until a person fixes the cause. */
  throttled(number: string, throttle: NumberThrottle): void
  /** Reports that the fallback template of a reply would be refused, by the service's own list. */
  templateUnsendable(send: NewSend, problem: string): void
  /** Reports how many sends were marked as running but did not run. They begin again. */
  lost(count: number): void
}
