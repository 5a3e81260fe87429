import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { template } from '../../../src/service/template.ts'
import { type Bench, openBench, type Process } from './bench.ts'
import { listed, type Turn } from './service.ts'
import type { SendRow } from '../../../src/store/database/outbox-tables.ts'

const MINUTE = 60_000
const NUMBER = 'default'
const FINAL: readonly SendRow['state'][] = ['accepted', 'refused', 'skipped', 'cancelled', 'unknown']
const SURELY_NOT_SENT: readonly SendRow['state'][] = ['refused', 'skipped', 'cancelled']

type Send = { do: 'send'; process: number; key: number; text: number; hasFallback: boolean; isReply: boolean }
type Step =
  | Send
  | { do: 'crash'; process: number }
  | { do: 'boot'; process: number }
  | { do: 'cancel'; process: number; key: number }
  | { do: 'meet'; turns: readonly Turn[] }
  | { do: 'window'; customer: number; closed: boolean }
  | { do: 'agent'; customer: number; asked: boolean }
  | { do: 'pass'; ms: number }
  | { do: 'jump'; ms: number }

const process = fc.nat(1)
const key = fc.nat(9)
const customer = fc.nat(2)
const turn = fc.constantFrom<Turn>(
  'taken',
  'taken',
  'lost',
  'cut',
  'mute',
  { status: 401, code: 'not_authenticated' },
  { status: 429, code: 'rate_limited' },
  { status: 500, code: 'internal_error' },
  { status: 503 },
  { status: 502, code: 'send_failed' },
  { status: 409, code: 'idempotency_in_progress' },
  { status: 422, code: 'validation_error' },
)

const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('send'),
      process,
      key,
      text: fc.nat(1),
      hasFallback: fc.boolean(),
      isReply: fc.boolean(),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('meet'), turns: fc.array(turn, { minLength: 1, maxLength: 6 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('crash'), process }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('boot'), process }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('cancel'), process, key }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('window'), customer, closed: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('agent'), customer, asked: fc.boolean() }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('pass'), ms: fc.constantFrom(0, 0, 500, 5_000, 40_000) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('jump'), ms: fc.constantFrom(-3_600_000, -20_000, 15_000, 600_000) }),
  },
)

it('in every history each send ends, none is lost, none arrives twice unmarked [B IDEM-05, B IDEM-06, F-65, F-74, F-77]', async () => {
  const onUnknown = fc.constantFrom<'repeat' | 'hold'>('repeat', 'hold')
  await fc.assert(
    fc.asyncProperty(
      fc.boolean(),
      onUnknown,
      fc.array(steps, { minLength: 10, maxLength: 50, size: 'max' }),
      async (remembers, meets, history) => {
        await using bench = openBench()
        bench.service.remembers = remembers
        bench.service.templates = [listed()]
        await new Play(bench, meets).play(history)
      },
    ),
    { numRuns: 24, interruptAfterTimeLimit: 10_000 },
  )
})

class Play {
  readonly #bench: Bench
  readonly #onUnknown: 'repeat' | 'hold'
  readonly #processes: Process[]
  /** Sends that were repeated after they had certainly not been sent. They go out later than first requested. */
  readonly #repeated = new Set<number>()
  readonly #asked = new Set<number>()
  #wentBack = 0
  readonly #waiting = new Map<Promise<unknown>, Process>()

  constructor(bench: Bench, onUnknown: 'repeat' | 'hold') {
    this.#bench = bench
    this.#onUnknown = onUnknown
    this.#processes = [this.#boot(), this.#boot()]
  }

  async play(history: readonly Step[]): Promise<void> {
    for (const step of history) await this.#take(step)
    const { service } = this.#bench
    service.script = []
    this.#processes.push(this.#boot())
    await this.#passUntilEnded()
    expect(this.#unanswered()).toBe(0)
    const sends = await this.#sends()
    for (const send of sends) this.#check(send)
    this.#checkOrder(sends.toReversed())
    // A key whose message was taken is never used for other bytes.
    expect(service.reused).toBe(0)
  }

  /** Until all has ended, at most for as long as sends may take; and on beyond the longest wait, since nothing may follow. */
  async #passUntilEnded(): Promise<void> {
    const { now, pass } = this.#bench
    // The ten minutes of repeats begin again for a clock that went back.
    const latest = now() + 30 * MINUTE + this.#wentBack
    const ended = async () =>
      this.#unanswered() === 0 && (await this.#sends()).every(({ state }) => FINAL.includes(state))
    while (now() < latest && !(await ended())) await pass(10_000)
    await pass(MINUTE + 10_000)
  }

  async #sends(): Promise<readonly SendRow[]> {
    return (await this.#bench.store.listSends({ limit: 100 })).sends
  }

  /** Calls in processes that live, and that were not answered. */
  #unanswered(): number {
    return [...this.#waiting.values()].filter(({ dead }) => !dead()).length
  }

  async #take(step: Step): Promise<void> {
    const { service, store, pass, jump, now } = this.#bench
    if (step.do === 'pass') return pass(step.ms)
    if (step.do === 'jump') {
      this.#wentBack -= Math.min(0, step.ms)
      return jump(step.ms)
    }
    if (step.do === 'meet') return void service.script.push(...step.turns)
    if (step.do === 'window') return void service.closed[step.closed ? 'add' : 'delete'](digits(step.customer))
    if (step.do === 'agent') {
      const who = { number: NUMBER, customer: digits(step.customer) }
      const since = now()
      await (step.asked
        ? store.takeOver({ ...who, by: 'agent', since, until: since + 24 * 60 * MINUTE })
        : store.resume(who, since))
      return
    }
    const running = this.#processes[step.process] as Process
    if (step.do === 'crash') return running.kill()
    if (step.do === 'boot') {
      running.kill()
      this.#processes[step.process] = this.#boot()
      return
    }
    if (running.dead()) return
    if (step.do === 'cancel') return this.#wait(running, running.outbox.cancel(NUMBER, slot(step.key)))
    return this.#send(running, step)
  }

  #send(running: Process, { key: which, text, hasFallback, isReply }: Send): void {
    const intent = {
      number: NUMBER,
      to: digits(which % 3),
      content: `${which} ${text}`,
      ...(hasFallback && { options: { outsideWindow: template('order_ready', 'en', { body: [`${text}`] }) } }),
      ...(isReply && { reply: { expiresAt: undefined } }),
      cause: 'app',
      slot: slot(which),
    }
    if (this.#asked.has(which)) this.#repeated.add(which)
    this.#asked.add(which)
    this.#wait(running, running.outbox.recordSend(intent))
  }
  #wait(running: Process, work: Promise<unknown>): void {
    this.#waiting.set(work, running)
    const over = () => void this.#waiting.delete(work)
    work.then(over, over)
  }

  #boot(): Process {
    return this.#bench.boot({ onUnknown: this.#onUnknown })
  }

  /** The phone and the row of a send agree. */
  #check(send: SendRow): void {
    const { service } = this.#bench
    expect(FINAL).toContain(send.state)
    const arrived = service.phone.filter((one) => one.key === send.key || one.key === send.fallback?.key)
    if (SURELY_NOT_SENT.includes(send.state)) expect(arrived).toEqual([])
    if (send.state === 'accepted') expect(arrived.length).toBeGreaterThan(0)
    expect(new Set(arrived.map(({ said }) => said)).size).toBeLessThanOrEqual(1)
    if (service.remembers || this.#onUnknown === 'hold') expect(arrived.length).toBeLessThanOrEqual(1)
    if (arrived.length > 1 && send.state === 'accepted') expect(send.possiblyTwice).toBe(true)
    for (const { to } of arrived) expect(to).toBe(send.customer)
  }

  /** One customer gets messages in the order in which they were asked for. */
  #checkOrder(sends: readonly SendRow[]): void {
    const { phone } = this.#bench.service
    for (const customerOf of [0, 1, 2].map(digits)) {
      const asked = sends.filter((one) => one.customer === customerOf && one.state === 'accepted')
      const once = asked.filter(({ slot: name }) => !this.#repeated.has(Number(name)))
      const firsts = once.map((one) => phone.findIndex(({ key: k }) => k === one.key || k === one.fallback?.key))
      expect(firsts).toEqual(firsts.toSorted((a, b) => a - b))
    }
  }
}

function digits(index: number): string {
  return `25571200010${index}`
}

function slot(which: number): string {
  return String(which)
}
