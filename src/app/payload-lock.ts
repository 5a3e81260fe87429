import { existsSync, readFileSync } from 'node:fs'
import { reasonOf, SwitchhookError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import { Lock, LOCK_FILE, parseLock, unheardIn } from '../payload/index.ts'
import type { Store } from '../stores/port/index.ts'
import type { Paths } from './data-options.ts'

/** The lock in the working directory, if there is one. */
export function lockAtHand(): string | undefined {
  return existsSync(LOCK_FILE) ? `./${LOCK_FILE}` : undefined
}

/**
 * Reads the lock that the app names. If it names none, one that stands in the working directory counts, but not for a
 * bot of an emulator: the emulator's payloads have shapes of their own.
 *
 * @throws SwitchhookError `lock_invalid` if a named file is not there, or if a file cannot be read as a lock.
 */
export function lockFrom(named: string | false | undefined, local: boolean): Lock | undefined {
  if (named === false || (named === undefined && (local || !existsSync(LOCK_FILE)))) return undefined
  const file = named ?? LOCK_FILE
  return new Lock(parseLock(textOf(file), file), file)
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT'
    const why = isGone ? 'there is no such file; `switchhook payload lock` writes one' : reasonOf(error)
    throw new SwitchhookError('lock_invalid', `payloadLock: ${file} cannot be read: ${why}`, { cause: error })
  }
}

/** Warns of a bot that can answer nobody: it answers confirmed customers alone, and none is confirmed. */
export function warnOfUnconfirmed({ replies, payloadLock, facts }: Confirming, log: Log): void {
  const isMapped = facts?.['message.received']?.['customer'] !== undefined
  if (replies !== 'locked' || isMapped || payloadLock?.locks('message.received', 'customer')) return
  log.warn(
    {},
    "replies: 'locked', and neither the option facts nor a payload lock says where the customer of message.received stands: no message is answered, each is parked",
  )
}

interface Confirming {
  readonly replies: 'guessed' | 'locked'
  readonly payloadLock: Lock | undefined
  readonly facts: Paths | undefined
}

/** Warns of locked events that nobody ever heard of. An emulator sends the events of the specification alone. */
export async function warnOfUnheard({ payloadLock, local }: Locking, store: Store, log: Log): Promise<void> {
  if (!payloadLock || local) return
  const { events, file } = payloadLock
  if (unheardIn(events, file, []).length === 0) return
  const { shapes } = await store.seenPayloads()
  const came = shapes.map(({ event }) => event)
  for (const { event, says } of unheardIn(events, file, came)) log.warn({ event }, says)
}

interface Locking {
  readonly payloadLock: Lock | undefined
  readonly local: boolean
}
