import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import { optionsInvalid } from '../base/errors.ts'
import { isLoopback } from '../base/host.ts'
import { isKnown, verifyReceiver } from '../verify/run.ts'
import { levelOf, type Verdict } from '../verify/check.ts'
import { MATRIX } from '../verify/matrix/index.ts'
import { NOBODY } from '../verify/mark.ts'
import { readSpan } from './support/arguments.ts'
import {
  certificateFix,
  needSecret,
  prefixFrom,
  RECEIVER_OPTIONS,
  type ReceiverFlags,
  receiverUrl,
} from './support/deliveries.ts'
import { EXIT, OutOfReach, RefusedForSafety } from './support/exit.ts'
import type { Io } from './support/io.ts'
import { type Column, type OutputFlags, printList, printResult } from './support/output.ts'
import { HAS_GROUPS, signalGroup } from './support/signals.ts'

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

interface VerifyFlags extends ReceiverFlags, OutputFlags {
  readonly only?: string
  readonly observe?: string
  readonly timeout?: string
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
  const rows = new PassThrough({ objectMode: true })
  const printed = printList<Row>(io, flags, rows, COLUMNS, { details: detailsOf })
  const run = verifyReceiver({ url, ...options, onVerdict: (verdict) => void rows.write(rowOf(verdict)) })
  const { verdicts, unreachable, clockOffMs } = await run.finally(() => rows.end())
  await printed
  if (unreachable !== undefined) throw new OutOfReach(unreachableText(url, unreachable), undefined)
  const score = { passed: 0, failed: 0, warned: 0, skipped: 0 }
  for (const { state } of verdicts) score[state]++
  const { passed, failed, warned, skipped } = score
  const counts = `${passed} passed, ${failed} failed, ${warned} warned, ${skipped} skipped.`
  printResult(io, flags, { kind: 'score', ...score, clockOffMs }, counts)
  if (clockOffMs !== undefined && Math.abs(clockOffMs) > CLOCK_OFF_MS)
    io.err(
      `The receiver's clock is ${Math.round(Math.abs(clockOffMs) / 1_000)} s ${clockOffMs > 0 ? 'ahead of' : 'behind'} this machine's: it judges times by it.`,
    )
  io.exitCode = failed > 0 ? EXIT.failed : EXIT.done
}

type Row = ReturnType<typeof rowOf>

function rowOf({ check, state, sent, came, expected, ms }: Verdict) {
  const { id, rules, says, fix } = check
  return { kind: 'check', id, rules, level: levelOf(check), state, says, sent, came, expected, ms, fix }
}

const COLUMNS: readonly Column<Row>[] = [
  ['state', ({ state }) => state, 'skipped'.length],
  ['rules', ({ rules }) => rules, Math.max(...MATRIX.map(({ rules }) => rules.join(', ').length))],
  ['id', ({ id }) => id, Math.max(...MATRIX.map(({ id }) => id.length))],
  'says',
]

/** Shown below a check that did not pass. */
function detailsOf({ state, sent, came, expected, fix }: Row): object | undefined {
  if (state === 'passed') return undefined
  return state === 'skipped' ? { came } : { sent, came, expected, fix }
}

function unreachableText(url: URL, code: string): string {
  const mend = certificateFix(code)
  return mend === undefined
    ? `nothing answers at ${addressOf(url)} (${code}): does the receiver run there?`
    : `the certificate of ${addressOf(url)} is not trusted (${code}): ${mend}`
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

const LONGEST_OBSERVED_MS = 30_000

/** Runs the user's command for the number of effects so far: the last line that it prints. */
export function createObserver(command: string, longestMs = LONGEST_OBSERVED_MS): () => Promise<number> {
  return async () => {
    const child = spawn(command, { shell: true, stdio: ['ignore', 'pipe', 'inherit'], detached: HAS_GROUPS })
    let late = false
    const timer = setTimeout(() => {
      late = true
      // The shell and its children, which may run for ever as `tail -f` does.
      signalGroup(child, 'SIGKILL')
      child.stdout.destroy()
    }, longestMs)
    const [printed, [code]] = await Promise.all([
      text(child.stdout).catch(() => ''),
      once(child, 'close') as Promise<[number | null]>,
    ])
    clearTimeout(timer)
    const last = printed.trimEnd().split('\n').at(-1)?.trim() ?? ''
    if (!late && code === 0 && /^\d{1,15}$/.test(last)) return Number(last)
    const came = late ? `had not ended after ${longestMs / 1_000} s` : endText(code, last)
    throw optionsInvalid(`--observe: expected a command that prints a count of effects, it ${came}`)
  }
}

function endText(code: number | null, last: string): string {
  return code === 0 ? `printed ${JSON.stringify(last.slice(0, 80))}` : `ended with ${code ?? 'a signal'}`
}
