import { SwitchhookError } from '../../base/errors.ts'
import { isLoopback } from '../../base/loopback.ts'
import { isKnown, MATRIX, type Verdict, verifyReceiver } from '../../verify/index.ts'
import { readSpan } from '../arguments.ts'
import { mendOfCertificate } from '../certificate.ts'
import { needSecret, prefixFrom, type ReceiverFlags, receiverUrl } from '../deliveries/receiver.ts'
import { EXIT, OutOfReach, RefusedForSafety } from '../exit.ts'
import { writeReport } from '../junit.ts'
import { junit } from './junit.ts'
import { observer } from './observe.ts'
import { jsonOf, linesOf, type Score, scoreOf, wordsOf } from './scorecard.ts'

export interface VerifyFlags extends ReceiverFlags {
  readonly only?: string
  readonly observe?: string
  readonly timeout?: string
  readonly junit?: string
  readonly json?: boolean
}

/** Clocks of healthy machines are nearer than this; an answer's `Date` is in whole seconds. */
const CLOCK_OFF_MS = 3_000

/** `switchhook verify URL`: fires the matrix, prints the scorecard, and exits with 1 where something falls. */
export async function verify(address: string, flags: VerifyFlags): Promise<void> {
  const url = receiverUrl(address)
  const options = optionsFrom(flags)
  warn(url, flags)
  await options.count?.()
  const print = (verdict: Verdict) => process.stdout.write(`${flags.json ? jsonOf(verdict) : linesOf(verdict)}\n`)
  const { verdicts, unreachable, clockOffMs } = await verifyReceiver({ url, ...options, onVerdict: print })
  if (unreachable !== undefined) throw new OutOfReach(whyNone(url, unreachable), undefined)
  const score = scoreOf(verdicts)
  tell(score, clockOffMs, flags)
  if (flags.junit !== undefined) writeReport(flags.junit, junit(verdicts, shown(url)))
  process.exitCode = score.failed > 0 ? EXIT.failed : EXIT.done
}

function whyNone(url: URL, code: string): string {
  const mend = mendOfCertificate(code)
  return mend === undefined
    ? `nothing answers at ${shown(url)} (${code}): does the receiver run there?`
    : `the certificate of ${shown(url)} is not trusted (${code}): ${mend}`
}

function tell(score: Score, clockOffMs: number | undefined, { json }: VerifyFlags): void {
  if (json) process.stdout.write(`${JSON.stringify({ kind: 'score', ...score, clockOffMs })}\n`)
  else process.stdout.write(`\n${wordsOf(score)}\n`)
  if (clockOffMs !== undefined && Math.abs(clockOffMs) > CLOCK_OFF_MS)
    process.stderr.write(
      `The receiver's clock is ${Math.round(Math.abs(clockOffMs) / 1_000)} s ${clockOffMs > 0 ? 'ahead of' : 'behind'} this machine's: it judges times by it.\n`,
    )
}

/** The receiver takes what comes for the service's, so somebody's app acts on it. */
function warn(url: URL, { yes, json }: VerifyFlags): void {
  const what = `some 150 deliveries to ${shown(url)}, genuine ones among them: its handlers run, and may answer the customer 999000000100`
  if (!isLoopback(url.href) && !yes)
    throw new RefusedForSafety(`this would fire ${what}; it is not this machine, so say --yes if that is meant`)
  if (!json || !isLoopback(url.href)) process.stderr.write(`Firing ${what}.\n`)
}

function optionsFrom(flags: VerifyFlags) {
  const secret = needSecret(flags)
  return {
    // As it was given: a receiver of another make may have white space around its own.
    secret: flags.secret ?? secret,
    prefix: prefixFrom(flags),
    ...(flags.only !== undefined && { only: readOnly(flags.only) }),
    ...(flags.observe !== undefined && { count: observer(flags.observe) }),
    ...(flags.timeout !== undefined && { timeoutMs: readSpan(flags.timeout, '--timeout') }),
  }
}

function readOnly(text: string): Set<string> {
  const names = text.split(',').map((name) => name.trim())
  const unknown = names.filter((name) => !isKnown(name))
  if (unknown.length === 0) return new Set(names)
  const rules = [...new Set(MATRIX.flatMap(({ rules }) => rules))].sort()
  throw new SwitchhookError(
    'options_invalid',
    `--only: no check and no rule is called ${unknown.join(', ')}; rules: ${rules.join(' ')}; checks: ${MATRIX.map(({ id }) => id).join(' ')}`,
  )
}

/** Without credentials and query, which may hold a token. */
function shown({ origin, pathname }: URL): string {
  return `${origin}${pathname}`
}
