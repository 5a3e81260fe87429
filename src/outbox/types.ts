import type { ProcessLease } from '../lanes/lease.ts'
import type { Clock, Random, Timers } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Tracer } from '../base/tracer.ts'
import type { MaybeAsync } from '../base/value.ts'
import type { Client } from '../client/index.ts'
import type { NewSend, NumberThrottle, SendRow, SendSettlement } from '../store/types/index.ts'
import type { Store } from '../store/store.ts'
import type { KeysRememberedFor } from './doubts.ts'

export interface SendDeps {
  readonly store: Store
  readonly lease: ProcessLease
  /** False in a process that only receives: what it records, others send. */
  readonly begins: boolean
  /** How many numbers the bot has, or may have. */
  readonly numbers: number
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly log: Log
  readonly onUnknown: 'repeat' | 'hold'
  readonly keysRememberedFor: KeysRememberedFor
  /** The phone digits that may be sent to; undefined allows all. */
  readonly allowedRecipients: ReadonlySet<string> | undefined
  /** A handler listens for sends that fail when nobody waits for them any more. */
  readonly tellsOfFailures: boolean
  readonly report: SendReport
  readonly tracer?: Tracer | undefined
  /**
   * The client of a number; undefined if the app gave no token for it.
   *
   * @throws SwitchhookError `no_access_token` if the number does not exist, `number_unavailable` if its source does not answer.
   */
  client(number: string): MaybeAsync<Client | undefined>
  /**
   * Another client of a number whose token was refused in an attempt that began at `since`, by the monotonic clock; undefined if
   * the app has no other token for it.
   */
  readonly clientAfterRefusal?:
    | ((number: string, refused: Client, since: number) => Promise<Client | undefined>)
    | undefined
}

export interface SettledSendAttempt {
  /** From 1; a fallback counts from 1 again. */
  readonly number: number
  readonly via: SendRow['via']
  /** Until the service answered, or was given up. */
  readonly durationMs: number
}

export interface SendReport {
  /**
   * @param send its row as the settlement leaves it.
   * @param attempt the attempt that was settled; undefined if the send ended without one.
   */
  settled(send: SendRow, settlement: SendSettlement, attempt: SettledSendAttempt | undefined): void
  /** A rerun, or a second send under the same key, asked for another text. */
  diverged(send: SendRow, slot: string): void
  /** An attempt failed with an error that the client does not know. */
  unforeseen(send: SendRow, error: unknown): void
  /** Nothing of this number goes out until the pause is over, or until a person fixes what stopped it. */
  throttled(number: string, throttle: NumberThrottle): void
  /** The template that a reply falls back on would be refused, by the service's own list. */
  templateUnsendable(send: NewSend, problem: string): void
}
