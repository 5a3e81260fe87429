import type { Command } from 'commander'
import { isLoopback } from '../../base/host.ts'
import { verifyReceiver } from '../verify/run.ts'
import type { Verdict } from '../verify/check.ts'
import { TEST_CUSTOMER } from '../verify/shot.ts'
import {
  certificateFix,
  requireSecret,
  prefixFrom,
  RECEIVER_OPTIONS,
  type ReceiverFlags,
  receiverUrl,
} from './support/posted-deliveries.ts'
import { EXIT, OutOfReach, RefusedForSafety } from './support/exit.ts'
import type { Io } from './support/io.ts'
import { type OutputFlags, printList, printResult } from './support/output.ts'

export function addCommand(command: Command, io: Io): void {
  command
    .description('run the conformance checks against a running receiver, even one without this library')
    .argument('<url>', "the receiver's address")
    .option(...RECEIVER_OPTIONS.secret)
    .option(...RECEIVER_OPTIONS.prefix)
    .option('--json', 'one object a line on stdout: {"kind":"check",…}, and {"kind":"score",…} at the end')
    .option(...RECEIVER_OPTIONS.yes)
    .addHelpText('after', EXAMPLE)
    .action((address, flags) => verify(io, address, flags))
}

const EXAMPLE = `
Exit codes: 0 no check failed, 1 one failed, 2 usage, 3 out of reach, 4 not this machine and no --yes.

A bot of this library stores these deliveries: "switchhook inbox prune --verify" removes them.

Example:
  $ switchhook verify http://127.0.0.1:3000/webhooks/messages --secret whsec_…
`

type VerifyFlags = ReceiverFlags & OutputFlags

async function verify(io: Io, address: string, flags: VerifyFlags): Promise<void> {
  const url = receiverUrl(address)
  const secret = requireSecret(io, flags)
  const prefix = prefixFrom(io, flags)
  sayWhatHappens(io, url, flags)
  const { verdicts, unreachable } = await verifyReceiver({
    url,
    // Do not trim the flag's value: another maker's receiver may keep white space around its secret.
    secret: flags.secret ?? secret,
    prefix,
  })
  if (unreachable !== undefined) throw new OutOfReach(unreachableText(url, unreachable), undefined)
  await printList(io, flags, verdicts.map(rowOf), ['state', 'rules', 'id', 'says'], { details: detailsOf })
  const score = { passed: 0, failed: 0, skipped: 0 }
  for (const { state } of verdicts) score[state]++
  const { passed, failed, skipped } = score
  const counts = `${passed} passed, ${failed} failed, ${skipped} skipped.`
  printResult(io, flags, { kind: 'score', ...score }, counts)
  io.exitCode = failed > 0 ? EXIT.failed : EXIT.done
}

type Row = ReturnType<typeof rowOf>

function rowOf({ check, state, sent, came, expected, ms }: Verdict) {
  const { id, rules, says, fix } = check
  return { kind: 'check', id, rules, state, says, sent, came, expected, ms, fix }
}

function detailsOf({ state, sent, came, expected, fix }: Row): object | undefined {
  if (state === 'passed') return undefined
  return state === 'skipped' ? { came } : { sent, came, expected, fix }
}

function unreachableText(url: URL, code: string): string {
  const fix = certificateFix(code)
  return fix === undefined
    ? `nothing answers at ${addressOf(url)} (${code}): does the receiver run there?`
    : `the certificate of ${addressOf(url)} is not trusted (${code}): ${fix}`
}

/** @throws RefusedForSafety for a receiver on another machine, without `--yes` */
function sayWhatHappens(io: Io, url: URL, { yes, json }: VerifyFlags): void {
  const what = `some 150 deliveries to ${addressOf(url)}, genuine ones among them: its handlers run, and may answer the customer ${TEST_CUSTOMER}`
  if (!isLoopback(url.href) && !yes)
    throw new RefusedForSafety(`this would fire ${what}; it is not this machine, so pass --yes if you mean that`)
  if (!json || !isLoopback(url.href)) io.err(`Firing ${what}.`)
}

function addressOf({ origin, pathname }: URL): string {
  return `${origin}${pathname}`
}
