import { type Command, Option } from 'commander'
import { type Duration, toMs } from '../../base/duration.ts'
import { optionsInvalid } from '../../base/errors.ts'
import { TIMESTAMP_TOLERANCE_SECONDS } from '../../contract/delivery.ts'
import { readCount } from '../support/arguments.ts'
import {
  type Outcome,
  printOutcomes,
  RECEIVER_OPTIONS,
  type ReceiverFlags,
  type Tampering,
  TAMPERINGS,
} from '../support/deliveries.ts'
import { EMULATOR_OPTIONS, runningEmulator, type RunningFlags } from '../support/emulator.ts'
import type { Io } from '../support/io.ts'
import { postRecorded, redeliver } from './deliver.ts'
import { findInDatabase, findInEmulator, type ReplayOptions } from './find.ts'

export function addCommand(command: Command, io: Io): void {
  command
    .description(
      "deliver again what the running emulator delivered, or what is in an app's inbox: the same id and bytes, signed now",
    )
    .argument('<which>', "a delivery's id, last, or failed: all that were not accepted")
    .option('--exact', 'with the original timestamp and signature too')
    .addOption(new Option('--tamper <what>', 'change something after it was signed').choices(TAMPERINGS))
    .option('--offset <span>', 'sign with another time: -301s, +5m')
    .option('--duplicate [n]', 'several at the same time (default: 2)', readCount)
    .option('--to <url>', 'to this receiver, signed here, instead of the original one')
    .option('--database <file>', "from an app's inbox instead of the emulator: ids, or numbers (SEQ)")
    .option(...RECEIVER_OPTIONS.secret)
    .option(...RECEIVER_OPTIONS.prefix)
    .option(...RECEIVER_OPTIONS.yes)
    .option(...EMULATOR_OPTIONS.address)
    .option(...EMULATOR_OPTIONS.token)
    .option('--json', 'one object a line on stdout: {"event":"…","id":"01J…","status":200,"ms":23,"ok":true}')
    .addHelpText('after', HELP)
    .action((which, flags) => replay(io, which, flags))
}

const HELP = `
Exit codes: 0 each was answered as it must be (2xx; 4xx where it was tampered with or is more than ${TIMESTAMP_TOLERANCE_SECONDS} s old), 1 one was
not, 2 usage, 3 no emulator or receiver answers, 4 --to is not this machine and there is no --yes.

Example:
  $ switchhook replay last --tamper signature
`

interface ReplayFlags extends RunningFlags, ReceiverFlags {
  readonly exact?: boolean
  readonly tamper?: Tampering
  readonly offset?: string
  /** True if the flag has no number. */
  readonly duplicate?: true | number
  readonly to?: string
  readonly database?: string
}

/** Delivers again, and exits with 1 if a receiver does not answer as it must. */
async function replay(io: Io, which: string, flags: ReplayFlags): Promise<void> {
  const how = optionsFrom(flags)
  const sends = await attemptsFor(io, which, how, flags)
  const copies = flags.duplicate === true ? 2 : (flags.duplicate ?? 1)
  const outcomes: Outcome[] = []
  for (const send of sends) outcomes.push(...(await Promise.all(Array.from({ length: copies }, send))))
  if (outcomes.length === 0) io.err('Nothing has failed.')
  await printOutcomes(io, flags, outcomes)
}

/** A function for each selected delivery that delivers it once. */
async function attemptsFor(
  io: Io,
  which: string,
  how: ReplayOptions,
  flags: ReplayFlags,
): Promise<readonly (() => Promise<Outcome>)[]> {
  if (flags.database !== undefined) {
    const found = await findInDatabase(io, flags.database, which)
    if (flags.to === undefined) throw optionsInvalid('--database: name the receiver with --to')
    return postRecorded(io, found, how, { ...flags, to: flags.to }, undefined)
  }
  const emulator = runningEmulator(io, flags)
  const found = await findInEmulator(emulator, which)
  return flags.to === undefined
    ? found.map((delivery) => () => redeliver(emulator, delivery, how))
    : postRecorded(io, found, how, { ...flags, to: flags.to }, emulator)
}

function optionsFrom({ exact = false, tamper, offset, database }: ReplayFlags): ReplayOptions {
  if (exact && offset !== undefined) throw optionsInvalid('--exact keeps the time of then, so it goes without --offset')
  if (exact && database !== undefined)
    throw optionsInvalid('--exact: an inbox keeps no signatures, so what is in it is signed anew')
  return { exact, tamper, offset, offsetMs: offset === undefined ? 0 : signedMs(offset) }
}

function signedMs(span: string): number {
  const [, sign, size] = /^([+-]?)(.+)$/.exec(span) ?? []
  return toMs((size ?? '') as Duration, '--offset') * (sign === '-' ? -1 : 1)
}
