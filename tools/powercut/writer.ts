/**
 * A process that stores deliveries on a disk that fails, as a receiver does: what is acknowledged is noted in the
 * disk's log, and what is refused comes again.
 */
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { monotonic, realTimers, type Timers } from '../../src/base/clock.ts'
import type { Store } from '../../src/store/store.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite-store.ts'
import { delivery, idOf } from '../../test/store/samples.ts'
import { type Failures, order } from './disk.ts'
import { acknowledgement } from './log.ts'
import { chanceOf } from './chance.ts'

/** The tasks of one process, from its start to its end. */
export interface Session {
  readonly seed: number
  /** The number of its first delivery, and how many come. */
  readonly from: number
  readonly deliveries: number
  readonly failures: Failures
  /** Before which of its deliveries they are ordered, and of what. */
  readonly failAt: number
  readonly failing: 'commit' | 'checkpoint' | 'half a checkpoint' | 'write'
  readonly end: 'close' | 'kill' | 'kill at the failure'
}

/** How often a start or a delivery is tried; far more than failures are ordered. */
const TRIES = 40
/** The store's time passes so much faster that a database which is not trusted is soon started again. */
const SPEED = 5_000
const timers: Timers = { after: (ms, run) => realTimers.after(ms / SPEED, run) }
const quick = { timers, monotonic: () => monotonic() * SPEED }

const session = JSON.parse(process.argv[2] ?? '') as Session
const { DISK_FOLDER = '', DISK_LOG = '', DISK_CONTROL = '' } = process.env
const chance = chanceOf(session.seed)
const file = join(DISK_FOLDER, 'bot.db')

const store = await started()
let next = 0
let failed = false
while (next < session.deliveries) {
  if (!failed && next >= session.failAt) await fail()
  const stopReading = chance() < 0.2 ? readFor() : undefined
  const batch = Array.from({ length: 1 + Math.floor(chance() * 8) }, () => session.from + next++)
  await Promise.all(batch.map((number) => arrive(store, number)))
  if (chance() < 0.5) stopReading?.()
  else setImmediate(() => stopReading?.())
  if (chance() < 0.05) await store.compact().catch(() => {})
}
if (session.end !== 'close') die()
await store.close()

async function started(): Promise<Store> {
  for (let tried = 1; ; tried++)
    try {
      return openSqlite(file, quick)
    } catch (error) {
      if (tried === TRIES) throw error
      await wait(1)
    }
}

async function fail(): Promise<void> {
  failed = true
  if (session.failing === 'half a checkpoint') {
    const stopReading = readFor()
    await arrive(store, session.from + next++)
    await store.compact().catch(() => {})
    stopReading?.()
  }
  order(DISK_CONTROL, failuresOf(session))
  if (session.failing.endsWith('checkpoint')) await store.compact().catch(() => {})
  if (session.end !== 'kill at the failure') return
  await Promise.allSettled([next, next + 1, next + 2].map((number) => arrive(store, session.from + number, 1)))
  die()
}

function failuresOf({ failing, failures }: Session): Failures {
  const { fsyncs = 0 } = failures
  if (failing === 'write') return { writes: fsyncs, error: chance() < 0.5 ? 'EIO' : 'ENOSPC', fsyncs: 0, spared: 0 }
  // Before the database a compaction syncs a commit, the generation, and the log.
  return { ...failures, spared: failing === 'commit' ? 0 : 2 + Math.floor(chance() * 3) }
}

function die(): void {
  process.kill(process.pid, 'SIGKILL')
}

/** A delivery comes again until it is acknowledged, or the service gives up. */
async function arrive(into: Store, number: number, tries = TRIES): Promise<void> {
  const arriving = delivery({ deliveryId: idOf(number), text: `${number} ${'x'.repeat(Math.floor(chance() * 6000))}` })
  for (let tried = 1; tried <= tries; tried++) {
    try {
      await into.accept(arriving)
      appendFileSync(DISK_LOG, acknowledgement(idOf(number)))
      return
    } catch {
      await wait(1)
    }
  }
}

/** Another reader keeps SQLite from writing all of its log into the database. */
function readFor(): (() => void) | undefined {
  try {
    const raw = new Database(file, { readonly: true })
    raw.exec('BEGIN; SELECT count(*) FROM inbox')
    raw.prepare('SELECT count(*) FROM inbox').get()
    return () => raw.close()
  } catch {
    return undefined
  }
}
