import { realTimers, type Timers } from '../../base/clock.ts'
import { isLoopback } from '../../base/host.ts'
import { deliveryHeaders } from '../../service/delivery.ts'
import { type Check, type Fired, judge, skip, type Verdict } from './check.ts'
import { fire } from './fire.ts'
import { GENUINE, MATRIX } from './matrix/matrix.ts'
import { maker, type Shot } from './shot.ts'

export interface VerifyOptions {
  readonly url: URL
  readonly secret: string
  /** The beginning of the header names. Default `X-Service-`. */
  readonly prefix?: string
  /** Ids of checks or of rules: only these run, after the genuine delivery. Default: all. */
  readonly only?: ReadonlySet<string>
  /** Milliseconds. Default 2,000. */
  readonly slowMs?: number
  readonly timers?: Timers
  readonly now?: () => number
}

/** The clocks of two machines differ. So test deliveries keep this distance from the limit of 300 s. */
const MARGIN_SECONDS = 5
/** After this many checks in a row without an answer, the receiver counts as gone. */
const MAX_UNANSWERED_CHECKS = 3

/** Sends the deliveries of all checks to a receiver, which handles them like real ones, and judges its answers. */
export async function verifyReceiver(options: VerifyOptions) {
  const session = sessionOf(options)
  const first = await run(GENUINE, session)
  const outcome = first.fired[0]?.outcome
  if (outcome?.kind === 'unreachable') return { verdicts: [], unreachable: outcome.why }
  const rest = MATRIX.filter((check) => check !== GENUINE && isChosen(check, options.only))
  const others =
    first.verdict.state === 'passed'
      ? await runAll(rest, session)
      : rest.map((check) => skip(check, 'the genuine delivery was not acknowledged'))
  return { verdicts: [first.verdict, ...others] }
}

type Session = ReturnType<typeof sessionOf>

function sessionOf(options: VerifyOptions) {
  const { url, secret, timers = realTimers, now = Date.now } = options
  const margin = isLoopback(url.href) ? 0 : MARGIN_SECONDS
  return {
    url,
    secret,
    timers,
    now,
    makerNow: () => maker({ secret, names: deliveryHeaders(options.prefix), now: now(), margin }),
    slowMs: options.slowMs ?? 2_000,
  }
}

function isChosen({ id, rules }: Check, only: ReadonlySet<string> | undefined): boolean {
  return only === undefined || [id, ...rules].some((name) => only.has(name))
}

async function runAll(checks: readonly Check[], session: Session): Promise<Verdict[]> {
  const verdicts: Verdict[] = []
  let unanswered = 0
  for (const check of checks) {
    if (unanswered >= MAX_UNANSWERED_CHECKS) {
      verdicts.push(skip(check, `the receiver gave no answer to the last ${MAX_UNANSWERED_CHECKS} checks`))
      continue
    }
    const { verdict, fired } = await run(check, session)
    verdicts.push(verdict)
    const isGone = fired.every(({ outcome }) => outcome.kind === 'silence' || outcome.kind === 'unreachable')
    unanswered = isGone ? unanswered + 1 : 0
  }
  return verdicts
}

async function run(check: Check, session: Session): Promise<{ verdict: Verdict; fired: readonly Fired[] }> {
  const began = performance.now()
  const fired = await fireAll(check, session)
  const ms = Math.round(performance.now() - began)
  return { verdict: judge(check, fired, session, ms), fired }
}

async function fireAll(check: Check, session: Session): Promise<Fired[]> {
  const shots = check.shots(session.makerNow())
  const fireOne = async (shot: Shot) => ({ shot, outcome: await fire(shot, session) })
  if (check.atOnce) return Promise.all(shots.map(fireOne))
  const fired: Fired[] = []
  for (const shot of shots) fired.push(await fireOne(shot))
  return fired
}
