import type { Command } from 'commander'
import { optionsInvalid } from '../../base/errors.ts'
import { isLoopback } from '../../base/host.ts'
import { isKnown, MATRIX, NOBODY, type Verdict, verifyReceiver } from '../../verify/index.ts'
import { readSpan } from '../support/arguments.ts'
import { EXIT, OutOfReach, RefusedForSafety } from '../support/exit.ts'
import { certificateFix } from '../support/http.ts'
import type { Io } from '../support/io.ts'
import { writeReport } from '../support/junit.ts'
import { needSecret, prefixFrom, RECEIVER_OPTIONS, type ReceiverFlags, receiverUrl } from '../support/receiver.ts'
import { createObserver } from './observe.ts'
import { junit, type Score, scoreOf, scoreText, verdictJson, verdictLines } from './scorecard.ts'

export function addCommand(command: Command, io: Io): void {
  command
    .description('fire the conformance matrix at a running receiver, also one without this library')
    .argument('<url>', 'its endpoint')
    .option(...RECEIVER_OPTIONS.secret)
    .option(...RECEIVER_OPTIONS.prefix)
    .option('--only <ids>', 'only these checks or rules, separated by commas: SIG-05,again')
    .option(
      '--observe <command>',
      'prints the number of effects, such as rows or replies; without it effects are not judged',
    )
    .option('--timeout <span>', 'how long an answer may take (default: 10s)')
    .option('--junit <file>', "a file for a report in JUnit's XML")
    .option('--json', 'one object a line on stdout: {"kind":"check",…}, and {"kind":"score",…} at the end')
    .option(...RECEIVER_OPTIONS.yes)
    .addHelpText('after', EXAMPLE)
    .action((address, flags) => verify(io, address, flags))
}

const EXAMPLE = `
Exit codes: 0 all that must hold holds, 1 something falls, 2 usage, 3 out of reach, 4 not this machine and no --yes.

A bot of this library keeps what came: "switchhook inbox prune --verify" removes it again.

Example:
  $ switchhook verify http://127.0.0.1:3000/webhooks/messages --secret whsec_… --observe 'wc -l < replies.log'
`

interface VerifyFlags extends ReceiverFlags {
  readonly only?: string
  readonly observe?: string
  readonly timeout?: string
  readonly junit?: string
  readonly json?: boolean
}

/**
 * From this difference on a clock is wrong: those of healthy machines differ by less, and an answer's `Date` is in
 * whole seconds.
 */
const CLOCK_OFF_MS = 3_000

/** Fires the matrix, prints the scorecard, and exits with 1 if a check fails. */
async function verify(io: Io, address: string, flags: VerifyFlags): Promise<void> {
  const url = receiverUrl(address)
  const options = optionsFrom(io, flags)
  announce(io, url, flags)
  await options.count?.()
  const print = (verdict: Verdict) => io.out(flags.json ? verdictJson(verdict) : verdictLines(verdict))
  const { verdicts, unreachable, clockOffMs } = await verifyReceiver({ url, ...options, onVerdict: print })
  if (unreachable !== undefined) throw new OutOfReach(unreachableText(url, unreachable), undefined)
  const score = scoreOf(verdicts)
  printScore(io, score, clockOffMs, flags)
  if (flags.junit !== undefined) writeReport(flags.junit, junit(verdicts, addressOf(url)))
  io.exitCode = score.failed > 0 ? EXIT.failed : EXIT.done
}

function unreachableText(url: URL, code: string): string {
  const mend = certificateFix(code)
  return mend === undefined
    ? `nothing answers at ${addressOf(url)} (${code}): does the receiver run there?`
    : `the certificate of ${addressOf(url)} is not trusted (${code}): ${mend}`
}

function printScore(io: Io, score: Score, clockOffMs: number | undefined, { json }: VerifyFlags): void {
  if (json) io.out(JSON.stringify({ kind: 'score', ...score, clockOffMs }))
  else io.out(`\n${scoreText(score)}`)
  if (clockOffMs !== undefined && Math.abs(clockOffMs) > CLOCK_OFF_MS)
    io.err(
      `The receiver's clock is ${Math.round(Math.abs(clockOffMs) / 1_000)} s ${clockOffMs > 0 ? 'ahead of' : 'behind'} this machine's: it judges times by it.`,
    )
}

/** Announces the deliveries, or refuses to post to another machine without `--yes`: the receiver's app acts on them. */
function announce(io: Io, url: URL, { yes, json }: VerifyFlags): void {
  const what = `some 150 deliveries to ${addressOf(url)}, genuine ones among them: its handlers run, and may answer the customer ${NOBODY}`
  if (!isLoopback(url.href) && !yes)
    throw new RefusedForSafety(`this would fire ${what}; it is not this machine, so say --yes if that is meant`)
  if (!json || !isLoopback(url.href)) io.err(`Firing ${what}.`)
}

function optionsFrom(io: Io, flags: VerifyFlags) {
  const secret = needSecret(io, flags)
  return {
    // The flag's exact value: another maker's receiver may keep white space around its secret.
    secret: flags.secret ?? secret,
    prefix: prefixFrom(io, flags),
    ...(flags.only !== undefined && { only: readOnly(flags.only) }),
    ...(flags.observe !== undefined && { count: createObserver(flags.observe) }),
    ...(flags.timeout !== undefined && { timeoutMs: readSpan(flags.timeout, '--timeout') }),
  }
}

function readOnly(text: string): Set<string> {
  const names = text.split(',').map((name) => name.trim())
  const unknown = names.filter((name) => !isKnown(name))
  if (unknown.length === 0) return new Set(names)
  const rules = [...new Set(MATRIX.flatMap(({ rules }) => rules))].sort()
  throw optionsInvalid(
    `--only: no check and no rule is called ${unknown.join(', ')}; rules: ${rules.join(' ')}; checks: ${MATRIX.map(({ id }) => id).join(' ')}`,
  )
}

/** The address without credentials and query, which may contain a token. */
function addressOf({ origin, pathname }: URL): string {
  return `${origin}${pathname}`
}
