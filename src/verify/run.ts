import { realTimers, type Timers } from '../base/clock.ts'
import { isLoopback } from '../base/loopback.ts'
import { deliveryHeaders } from '../contract/index.ts'
import type { Check, Verdict } from './check.ts'
import { type Counter, settled } from './effects.ts'
import { type Came, fire } from './fire.ts'
import { fallen, type Fired, type Measure } from './judge.ts'
import { GENUINE, MATRIX } from './matrix/index.ts'
import { type Make, maker } from './shot.ts'
import { failure, pass, passOver, wrongCount } from './verdict.ts'

export interface VerifyOptions {
  readonly url: URL
  /** The secret of the receiver's subscription. */
  readonly secret: string
  /** What the header names begin with. Default `X-Service-`. */
  readonly prefix?: string
  /** Ids of checks, or of rules: these alone, after the genuine delivery. Default: all. */
  readonly only?: ReadonlySet<string>
  /** For each answer, ms. Default 10,000, as the service is assumed to wait. */
  readonly timeoutMs?: number
  /** Default 2,000. */
  readonly slowMs?: number
  /** For a body that never ends, ms. Default 30,000. */
  readonly patienceMs?: number
  /** How many effects there are by now; without it what concerns them is not judged. */
  readonly count?: () => Promise<number>
  /** How long a count must stand still to be believed, ms. Default 1,000. */
  readonly settleMs?: number
  /** How long effects may take to come, ms. Default 30,000. */
  readonly effectsWithinMs?: number
  readonly timers?: Timers
  readonly now?: () => number
  /** Hears of each verdict as it comes. */
  readonly onVerdict?: (verdict: Verdict) => void
}

export interface Verified {
  readonly verdicts: readonly Verdict[]
  /** Why nothing answers there; undefined where something does. */
  readonly unreachable: string | undefined
  /** How far the receiver's clock is from this machine's, ms; undefined where its answer has no `Date`. */
  readonly clockOffMs: number | undefined
}

/** Between two machines clocks differ a little, and so the edges of 300 s are left alone. */
const MARGIN_SECONDS = 5
/** So many checks in a row without any answer, and nobody is there any more. */
const GIVEN_UP_AFTER = 3

/** Fires the matrix at a receiver and judges what comes back. Deliveries are genuine: it takes them for the service's. */
export async function verifyReceiver(o: VerifyOptions): Promise<Verified> {
  const range = rangeOf(o)
  const verdicts: Verdict[] = []
  const tell = (verdict: Verdict) => {
    verdicts.push(verdict)
    o.onVerdict?.(verdict)
  }
  const first = await run(GENUINE, range)
  const came = first.fired[0]?.came
  if (came?.as === 'unreachable') return { verdicts, unreachable: came.why, clockOffMs: undefined }
  const clockOffMs = clockOff(came, range.now())
  tell(first.verdict)
  const rest = MATRIX.filter((check) => check !== GENUINE && isChosen(check, o.only))
  if (first.verdict.state === 'passed') await runAll(rest, range, tell)
  else for (const check of rest) tell(passOver(check, 'the genuine delivery was not acknowledged'))
  return { verdicts, unreachable: undefined, clockOffMs }
}

/** Whether there is such a check, or such a rule. */
export function isKnown(name: string): boolean {
  return MATRIX.some(({ id, rules }) => id === name || rules.includes(name))
}

interface Range extends Measure {
  readonly url: URL
  readonly make: Make
  readonly counter: Counter | undefined
  readonly timers: Timers
  readonly timeoutMs: number
  readonly now: () => number
}

function rangeOf(o: VerifyOptions): Range {
  const { url, secret, count, timers = realTimers, now = Date.now, settleMs = 1_000 } = o
  const margin = isLoopback(url.href) ? 0 : MARGIN_SECONDS
  return {
    url,
    secret,
    timers,
    now,
    make: maker({ secret, names: deliveryHeaders(o.prefix), now, margin }),
    counter: count && { count, timers, settleMs, withinMs: o.effectsWithinMs ?? 30_000 },
    timeoutMs: o.timeoutMs ?? 10_000,
    slowMs: o.slowMs ?? 2_000,
    patienceMs: o.patienceMs ?? 30_000,
  }
}

function isChosen({ id, rules }: Check, only: ReadonlySet<string> | undefined): boolean {
  return only === undefined || only.has(id) || rules.some((rule) => only.has(rule))
}

async function runAll(checks: readonly Check[], range: Range, tell: (verdict: Verdict) => void): Promise<void> {
  const beside = new Map(checks.filter((check) => check.beside).map((check) => [check, run(check, range)]))
  let unanswered = 0
  for (const check of checks) {
    const began = beside.get(check)
    if (unanswered >= GIVEN_UP_AFTER && !began) {
      tell(passOver(check, `the receiver gave no answer to the last ${GIVEN_UP_AFTER} checks`))
      continue
    }
    const { verdict, fired } = await (began ?? run(check, range))
    tell(verdict)
    if (began || fired.length === 0) continue
    const isGone = fired.every(({ came }) => came.as === 'silence' || came.as === 'unreachable')
    unanswered = isGone ? unanswered + 1 : 0
  }
}

async function run(check: Check, range: Range): Promise<{ verdict: Verdict; fired: readonly Fired[] }> {
  const { counter } = range
  if (check.effects !== undefined && !counter)
    return { verdict: passOver(check, 'effects are seen by --observe alone'), fired: [] }
  const before = check.effects !== undefined && counter ? await settled(counter) : 0
  const began = performance.now()
  const fired = await fireAll(check, range)
  const ms = Math.round(performance.now() - began)
  const fell = fallen(check, fired, range)
  if (fell) return { verdict: failure(check, fell, range, ms), fired }
  if (check.effects !== undefined && counter) {
    const effects = (await settled(counter, before + check.effects)) - before
    if (effects !== check.effects) return { verdict: wrongCount(check, fired, effects, ms), fired }
  }
  return { verdict: pass(check, fired, range, ms), fired }
}

async function fireAll(check: Check, range: Range): Promise<Fired[]> {
  const { url, timers } = range
  const timeoutMs = check.expects === 'ended' ? range.patienceMs : range.timeoutMs
  const shots = check.shots(range.make)
  const one = async (shot: (typeof shots)[number]) => ({ shot, came: await fire(shot, { url, timers, timeoutMs }) })
  if (check.atOnce) return Promise.all(shots.map(one))
  const fired: Fired[] = []
  for (const shot of shots) fired.push(await one(shot))
  return fired
}

function clockOff(came: Came | undefined, now: number): number | undefined {
  return came?.as === 'answer' && came.date ? came.date.getTime() - now : undefined
}
