import { type Duration, toMs } from '../../base/duration.ts'
import { SwitchhookError } from '../../base/errors.ts'
import type { ReceiverFlags } from '../deliveries/receiver.ts'
import type { Tampering } from '../deliveries/signed.ts'
import { exitCodeFor, explain, type Told, tell } from '../deliveries/told.ts'
import { type RunningFlags, runningEmulator } from '../running-emulator.ts'
import { again } from './again.ts'
import { directly } from './directly.ts'
import { fromDatabase } from './from-database.ts'
import { fromEmulator } from './from-emulator.ts'
import type { How } from './original.ts'

export interface ReplayFlags extends RunningFlags, ReceiverFlags {
  readonly exact?: boolean
  readonly tamper?: Tampering
  readonly offset?: string
  /** True where it was given without a number. */
  readonly duplicate?: true | number
  readonly to?: string
  readonly database?: string
  readonly json?: boolean
}

/** `switchhook replay`: delivers once more, and exits with 1 where it was not answered as it must be. */
export async function replay(which: string, flags: ReplayFlags): Promise<void> {
  const how = howFrom(flags)
  const sends = await sendsOf(which, how, flags)
  const copies = flags.duplicate === true ? 2 : (flags.duplicate ?? 1)
  const told: Told[] = []
  for (const send of sends)
    for (const one of await Promise.all(Array.from({ length: copies }, send))) {
      tell(one, flags)
      told.push(one)
    }
  if (told.length === 0) process.stderr.write('Nothing has failed.\n')
  explain(told)
  process.exitCode = exitCodeFor(told)
}

/** What sends each of the deliveries that are meant, once. */
async function sendsOf(which: string, how: How, flags: ReplayFlags): Promise<readonly (() => Promise<Told>)[]> {
  if (flags.database !== undefined) {
    const found = await fromDatabase(flags.database, which)
    return directly(found, how, { ...flags, to: flags.to ?? noReceiver() }, undefined)
  }
  const emulator = runningEmulator(flags)
  const found = await fromEmulator(emulator, which)
  return flags.to === undefined
    ? found.map((delivery) => () => again(emulator, delivery, how))
    : directly(found, how, { ...flags, to: flags.to }, emulator)
}

function noReceiver(): never {
  throw new SwitchhookError('options_invalid', '--database: name the receiver with --to')
}

function howFrom({ exact = false, tamper, offset, database }: ReplayFlags): How {
  const wrong = (message: string) => new SwitchhookError('options_invalid', message)
  if (exact && offset !== undefined) throw wrong('--exact keeps the time of then, so it goes without --offset')
  if (exact && database !== undefined)
    throw wrong('--exact: an inbox keeps no signatures, so what is in it is signed anew')
  return { exact, tamper, offset, offsetMs: offset === undefined ? 0 : signedMs(offset) }
}

function signedMs(span: string): number {
  const [, sign, size] = /^([+-]?)(.+)$/.exec(span) ?? []
  return toMs((size ?? '') as Duration, '--offset') * (sign === '-' ? -1 : 1)
}
