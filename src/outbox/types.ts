import type { Clock, Random, Timers } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { ApiError, Client } from '../client/index.ts'
import type { NumberThrottle, SendRow, SendSettlement, Store } from '../stores/port/index.ts'

/** A settled attempt, told to whoever waits in this process. */
export interface Settled {
  readonly id: string
  readonly as: SendSettlement['as']
  readonly replayed: boolean
  readonly error: ApiError | undefined
}

export interface SendDeps {
  readonly store: Store
  readonly owner: string
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly log: Log
  readonly onUnknown: 'repeat' | 'hold'
  /** The digits that may be sent to; undefined allows all. */
  readonly allowedRecipients: ReadonlySet<string> | undefined
  readonly report: SendReport
  /** The client of a number; undefined where the app gave no token. */
  client(number: string): Client | undefined
}

/** Hears what becomes of sends. */
export interface SendReport {
  settled(send: SendRow, settlement: SendSettlement): void
  /** A rerun, or a second send under one key, asked for another text. */
  diverged(send: SendRow, slot: string): void
  unforeseen(send: SendRow, error: unknown): void
  /** Nothing of this number goes out until the pause is over, or until somebody mended what stopped it. */
  throttled(number: string, queue: NumberThrottle): void
  /** By the service's list, the template that a reply falls back on would be refused. */
  templateUnsendable(number: string, problem: string): void
}
