import { writeFileSync } from 'node:fs'
import { type Duration, toMs } from '../../base/duration.ts'
import { reasonOf, SwitchhookError } from '../../base/errors.ts'
import { isLoopback } from '../../base/loopback.ts'
import { isKnown, MATRIX, type Verdict, verifyReceiver } from '../../verify/index.ts'
import { mendOfCertificate } from '../certificate.ts'
import { environment } from '../environment.ts'
import { EXIT, OutOfReach, RefusedForSafety } from '../exit.ts'
import { junit } from './junit.ts'
import { observer } from './observe.ts'
import { jsonOf, linesOf, type Score, scoreOf, wordsOf } from './scorecard.ts'

export interface VerifyFlags {
  readonly secret?: string
  readonly prefix?: string
  readonly only?: string
  readonly observe?: string
  readonly timeout?: string
  readonly junit?: string
  readonly json?: boolean
  readonly yes?: boolean
}

/** Clocks of healthy machines are nearer than this; an answer's `Date` is in whole seconds. */
const CLOCK_OFF_MS = 3_000

/** `switchhook verify URL`: fires the matrix, prints the scorecard, and exits with 1 where something falls. */
export async function verify(address: string, flags: VerifyFlags): Promise<void> {
  const url = readUrl(address)
  const options = optionsFrom(flags)
  warn(url, flags)
  await options.count?.()
  const print = (verdict: Verdict) => process.stdout.write(`${flags.json ? jsonOf(verdict) : linesOf(verdict)}\n`)
  const { verdicts, unreachable, clockOffMs } = await verifyReceiver({ url, ...options, onVerdict: print })
  if (unreachable !== undefined) throw new OutOfReach(whyNone(url, unreachable), undefined)
  const score = scoreOf(verdicts)
  tell(score, clockOffMs, flags)
  if (flags.junit !== undefined) write(flags.junit, junit(verdicts, shown(url)))
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
  const secret = flags.secret ?? environment('SWITCHHOOK_SIGNING_SECRET')?.split(',')[0]?.trim()
  if (secret === undefined || secret.trim() === '')
    throw new SwitchhookError(
      'environment_missing',
      "the receiver's signing secret is needed: --secret, or SWITCHHOOK_SIGNING_SECRET",
    )
  const prefix = flags.prefix ?? environment('SWITCHHOOK_HEADER_PREFIX')
  if (prefix !== undefined && !/^[A-Za-z][A-Za-z0-9-]*-$/.test(prefix))
    throw new SwitchhookError('options_invalid', "--prefix: expected a prefix such as 'X-Service-'")
  return {
    secret,
    ...(prefix !== undefined && { prefix }),
    ...(flags.only !== undefined && { only: readOnly(flags.only) }),
    ...(flags.observe !== undefined && { count: observer(flags.observe) }),
    ...(flags.timeout !== undefined && { timeoutMs: readSpan(flags.timeout) }),
  }
}

function readUrl(text: string): URL {
  const url = URL.parse(text)
  if (url !== null && /^https?:$/.test(url.protocol)) return url
  throw new SwitchhookError(
    'options_invalid',
    "expected the receiver's whole address, such as http://127.0.0.1:3000/webhooks/messages",
  )
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

function readSpan(text: string): number {
  const ms = toMs(/^\d+$/.test(text) ? Number(text) : (text as Duration), '--timeout')
  if (ms > 0) return ms
  throw new SwitchhookError('options_invalid', '--timeout: expected more than nothing')
}

/** Without credentials and query, which may hold a token. */
function shown({ origin, pathname }: URL): string {
  return `${origin}${pathname}`
}

function write(file: string, xml: string): void {
  try {
    writeFileSync(file, xml)
  } catch (error) {
    throw new Error(`the report cannot be written to ${file}: ${reasonOf(error)}`, { cause: error })
  }
}
