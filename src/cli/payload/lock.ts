import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { Command } from 'commander'
import { reasonOf } from '../../base/errors.ts'
import { LOCK_FILE, Lock, lockText, makeLock, parseLock, type PayloadLock, unheardIn } from '../../payload/index.ts'
import { collect, example } from '../support/arguments.ts'
import { DATABASE_OPTION, type DatabaseFlags } from '../support/database.ts'
import { RefusedForSafety } from '../support/exit.ts'
import { environment, type Io, isInteractive } from '../support/io.ts'
import { oneLine } from '../support/output.ts'
import { isAgreed } from '../support/prompt.ts'
import { checkLock, checkText } from './lock-check.ts'
import { choicesIn, doubtsText } from './lock-choices.ts'
import { changesBetween, changeText } from './lock-diff.ts'
import { countedEvents, evidenceOf, payloadsOf } from './lock-evidence.ts'

export function addLock(payload: Command, io: Io): void {
  payload
    .command('lock')
    .description('write down where the facts of payloads stand, so that none is guessed any more')
    .argument('[fixtures...]', 'fixtures or their folders, instead of the deliveries in the database')
    .option(...DATABASE_OPTION)
    .option('--file <file>', `the lock (env: SWITCHHOOK_PAYLOAD_LOCK; default: ./${LOCK_FILE})`)
    .option('--choose <fact>', 'EVENT.FACT=PATH: a fact in doubt stands there; may be given several times', collect)
    .option('--leave <fact>', 'EVENT.FACT: this fact is guessed on; may be given several times', collect)
    .option('--check', 'write nothing; exit with 1 if the lock does not hold for a payload')
    .option('--update', 'show what would change in the lock, and write that with --yes or a word at the terminal')
    .option('--yes', 'with --update: write without asking')
    .option('--json', 'one line of JSON on stdout')
    .addHelpText('after', example('switchhook payload lock --choose message.received.customer=data.from'))
    .action((fixtures: string[], flags: LockFlags) => {
      const file = flags.file ?? environment(io, 'SWITCHHOOK_PAYLOAD_LOCK') ?? `./${LOCK_FILE}`
      if (flags.check) return check(io, file, fixtures, flags)
      return flags.update ? update(io, file, fixtures, flags) : write(io, file, fixtures, flags)
    })
}

interface LockFlags extends DatabaseFlags {
  readonly file?: string
  readonly choose?: readonly string[]
  readonly leave?: readonly string[]
  readonly check?: boolean
  readonly update?: boolean
  readonly yes?: boolean
}

async function write(io: Io, file: string, fixtures: readonly string[], flags: LockFlags): Promise<void> {
  if (existsSync(file))
    throw new Error(
      `${file} is there already: \`--update\` shows what would change, \`--check\` tells whether it holds`,
    )
  const { lock, changes } = await lockFrom(io, file, fixtures, flags, undefined)
  save(file, lock)
  for (const change of changes) if (!flags.json) io.out(oneLine(changeText(change)))
  if (flags.json) io.out(JSON.stringify({ file, written: true, changes }))
  io.err(`The lock is in ${file}: read it, and commit it. A bot reads it when it starts.`)
}

/** Shows what would change in the lock, and writes it if somebody agrees. */
async function update(io: Io, file: string, fixtures: readonly string[], flags: LockFlags): Promise<void> {
  const earlier = parseLock(textOf(file), file)
  const { lock, changes } = await lockFrom(io, file, fixtures, flags, earlier)
  for (const change of changes) if (!flags.json) io.out(oneLine(changeText(change)))
  const ask = () => isAgreed(io, `Write these changes to ${file}?`, 'nothing was written')
  const canAsk = !flags.json && isInteractive(io)
  const agreed = changes.length > 0 && (flags.yes || (canAsk && (await ask())))
  if (agreed) save(file, lock)
  if (flags.json) io.out(JSON.stringify({ file, written: agreed, changes }))
  if (changes.length === 0) io.err(`${file} has all that was received; nothing is written.`)
  else if (agreed) io.err(`${file} is written: commit it, and start the bot anew.`)
  else throw new RefusedForSafety(`${file} stays as it is: say --yes if these changes are right`)
}

/** @throws Error if facts are in doubt, or if the lock would not hold for what it was made of. */
async function lockFrom(
  io: Io,
  file: string,
  fixtures: readonly string[],
  flags: LockFlags,
  earlier: PayloadLock | undefined,
) {
  const before = earlier && new Lock(earlier, file)
  const evidence = await evidenceOf(io, fixtures, flags, before)
  const choices = [...choicesIn(flags), ...evidence.mapped]
  const { lock, doubts, unseen } = makeLock(evidence.sightings, choices, earlier)
  const [missing] = unseen
  if (missing)
    throw new Error(
      `nothing was written: no payload of ${missing.event} has ${missing.path}, chosen for ${missing.fact}`,
    )
  if (doubts.length > 0) {
    if (flags.json) io.out(JSON.stringify({ file, written: false, doubts }))
    else for (const line of doubtsText(doubts)) io.err(oneLine(line))
    throw new Error(
      `nothing was written: ${doubts.length === 1 ? 'a fact is' : `${doubts.length} facts are`} in doubt; say of each where it stands, or leave it to guessing`,
    )
  }
  if (Object.keys(lock.events).length === 0) throw new Error('nothing was written: no fact was found anywhere')
  const { broken } = checkLock(new Lock(lock, file), evidence.payloads)
  // A value that cannot be read is one payload's fault, and none of the lock's.
  const fault = broken.find(({ code, tooLarge }) => code === 'lock_broken' && !tooLarge)
  if (fault) throw new Error(`nothing was written: the lock would not hold; ${checkText(fault)}`)
  const left = [...evidence.sightings.values()].reduce((sum, seen) => sum + seen.tooLarge, 0)
  if (left > 0) io.err(`Left out: ${left} ${left === 1 ? 'payload' : 'payloads'} of a shape too large to be locked.`)
  return { lock, changes: changesBetween(earlier, lock, evidence.sightings) }
}

/** Tells for which payloads the lock does not hold. */
async function check(io: Io, file: string, fixtures: readonly string[], flags: LockFlags): Promise<void> {
  const lock = new Lock(parseLock(textOf(file), file), file)
  const payloads = await payloadsOf(io, fixtures, flags)
  const result = checkLock(lock, payloads)
  const counted = fixtures.length > 0 ? [] : await countedEvents(io, flags)
  const unheard = unheardIn(lock.events, file, [...payloads.map(({ event }) => event), ...counted])
  if (flags.json) io.out(JSON.stringify({ ...result, neverCame: unheard.map(({ event }) => event) }))
  else for (const says of [...result.broken.map(checkText), ...unheard.map((one) => one.says)]) io.out(oneLine(says))
  const { held, broken, newShapes, notLocked } = result
  const shapes = newShapes > 0 ? `; ${newShapes} with a shape that it does not know` : ''
  const others = notLocked > 0 ? `; ${notLocked} of events that are not locked` : ''
  io.err(`${file} holds for ${held} of ${held + broken.length} payloads${shapes}${others}.`)
  io.exitCode = broken.length + unheard.length > 0 ? 1 : 0
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new Error(`the lock cannot be read: ${reasonOf(error)}; \`switchhook payload lock\` writes one`, {
      cause: error,
    })
  }
}

function save(file: string, lock: PayloadLock): void {
  try {
    writeFileSync(file, lockText(lock))
  } catch (error) {
    throw new Error(`the lock cannot be written to ${file}: ${reasonOf(error)}`, { cause: error })
  }
}
