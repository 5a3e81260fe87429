import { expect } from 'vitest'
import type { Timers } from '../../../src/base/clock.ts'
import { type ClientOptions, createClient } from '../../../src/client/client.ts'

/** A fault of the next send; after acceptance the message is on the phone. */
export type Fault =
  | { do: 'status'; status: number; code?: string }
  | { do: 'cut_before' | 'lose_answer' | 'half_answer' | 'unreadable_answer' }
  | { do: 'hold_key'; answers: number }

export interface WantedTemplate {
  name: string
  language: string
  body?: string
  components?: readonly object[]
  category?: string
  status?: string
  synchronised?: boolean
}

/** The service as the client sees it. The same tests hold against each counterpart. */
export interface Counterpart extends AsyncDisposable {
  readonly baseUrl: string
  /** The token that is valid now. */
  token(): string
  /** The customer writes, so that the window is open from now on. */
  customerWrites(to: string): Promise<void>
  aDayPasses(): Promise<void>
  addTemplate(template: WantedTemplate): Promise<void>
  faults(...next: Fault[]): Promise<void>
  /** Changes the whole account, from now on. */
  account(change: { planWithoutApi?: true; suspended?: true; rotate?: true }): Promise<void>
  /** A second number holds the same token; resolves with the ids of both. */
  secondNumber(): Promise<readonly string[]>
  /** The form of validation failures, of which the service shows two (SEND-23). */
  validation(form: 'flat' | 'detail'): Promise<void>
  /** How many messages reached that phone. */
  arrived(to: string): Promise<number>
}

/** Waits pass at once, and no attempt runs out of time: the other side answers when it does. */
const hurried: Timers = {
  after(ms, run) {
    const passing = ms < 30_000 ? setImmediate(run) : undefined
    return () => clearImmediate(passing)
  },
}

export function clientOf(counterpart: Counterpart, options: Partial<ClientOptions> = {}) {
  return createClient({
    baseUrl: counterpart.baseUrl,
    accessToken: () => counterpart.token(),
    timers: hurried,
    random: () => 0,
    ...options,
  })
}

export const ASHA = '255712000101'

/** The error of a refused call; checks that nothing reached the phone. */
export async function refusedBy(counterpart: Counterpart, call: Promise<unknown>): Promise<unknown> {
  const before = await counterpart.arrived(ASHA)
  const error: unknown = await call.then(
    () => expect.unreachable('it was accepted'),
    (thrown: unknown) => thrown,
  )
  expect(await counterpart.arrived(ASHA)).toBe(before)
  return error
}
