import type { ProcessLease } from '../lanes/lease.ts'
import type { LaneRunnerDeps } from '../lanes/runner.ts'
import type { Random } from '../../base/clock.ts'
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

export interface SendDeps extends Omit<LaneRunnerDeps<never>, 'work' | 'lanes' | 'lost' | 'lease'> {
  readonly store: Store
  readonly lease: ProcessLease
  readonly random: Random
  readonly onUnknown: 'repeat' | 'hold'
  readonly keysRememberedFor: KeysRememberedFor
  readonly tapSigner: TapSigner
  /** True with an emulator. Then a reply that changed between two runs is an error. */
  readonly strict: boolean
  readonly long: Long
  readonly templateParameters: 'refuse' | 'send'
  /** The allowed recipients, in digits; undefined allows all. */
  readonly allowedRecipients: ReadonlySet<string> | undefined
  readonly sameCustomer: SameCustomer
  /** True if an opt-out on one number counts on all, because they belong to one business. */
  readonly oneBusiness: boolean
  /** True if a handler is registered for failed sends whose caller no longer waits. */
  readonly reportsFailures: boolean
  readonly report: SendReport
  readonly watcher?: Watcher | undefined
  /** Undefined if the app set no token for the number. @throws SwitchhookError `no_access_token`, `number_unavailable` */
  client(number: string): MaybeAsync<Client | undefined>
  /**
   * Call this if the service refused the token of an attempt. Looks up the number again, and returns its client if the
   * token has changed. `since`: monotonic time at which the attempt began.
   */
  readonly clientAfterRefusal?:
    | ((number: string, refused: Client, since: number) => Promise<Client | undefined>)
    | undefined
}

export interface ReportedAttempt {
  /** From 1. The attempts of a fallback count from 1 again. */
  readonly nth: number
  readonly via: SendRow['via']
  /** Milliseconds until the answer, or until the attempt ended without one. */
  readonly durationMs: number
}

export interface SendReport {
  /**
   * @param send its row after the settlement.
   * @param attempt the settled attempt; undefined if the send ended without one.
   */
  settled(send: SendRow, settlement: SendSettlement, attempt: ReportedAttempt | undefined): void
  /** A rerun, or a second send under the same key, produced another text. */
  diverged(send: SendRow, slot: string): void
  /** An attempt threw an error that is none of the client's. */
  unexpectedError(send: SendRow, error: unknown): void
  /** The number sends nothing until its pause ends, or until a person fixes the cause. */
  throttled(number: string, throttle: NumberThrottle): void
  /** The service would refuse the template of this send, by its own list. */
  templateUnsendable(send: NewSend, problem: string): void
  /** So many sends were marked as running and did not run. They begin again. */
  lost(count: number): void
}
