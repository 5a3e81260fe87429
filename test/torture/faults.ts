/** Has a plan's faults happen, one after another, and remembers when. */
import { existsSync, readdirSync, readlinkSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import Database from 'better-sqlite3'
import type { Emulator } from 'switchhook/emulator'
import type { Failures } from '../powercut/disk.ts'
import type { Fault, Plan, Who } from './plan.ts'
import type { App } from './processes.ts'
import type { Traffic } from './traffic.ts'

/** A fault that happened; times are real. */
export interface Moment {
  readonly fault: Fault
  readonly from: number
  /** The moment at which all that the fault had broken is whole again. */
  readonly until: number
  /** The processes that it ended or suspended. */
  readonly pids: readonly number[]
}

export interface World {
  readonly plan: Plan
  readonly traffic: Traffic
  readonly emulator: Emulator
  readonly database: string
  readonly apps: [App, App]
  /** Starts a process in the place of one that has ended. */
  restart(who: Who): Promise<void>
  /** Orders failures of one process's disk. */
  failDisk(who: Who, failures: Failures): void
  /** Sets the wall clock of the machine, for all who read it. */
  setClock(ahead: number): Promise<void>
}

const LOCK_RETRY_MS = 2
const LOG_LOOK_MS = 20
/** A log that is seen open so often is not only being written anew. */
const LOOKS = 10
/** Some commits of a process that works. */
const DISK_FAILS_MS = 500

/** Resolves when all that the traffic lasted for have happened. */
export async function strikeAll(world: World): Promise<Moment[]> {
  const moments: Moment[] = []
  for (const { after, fault } of world.plan.faults) {
    if (!(await world.traffic.reaches(after))) break
    const from = Date.now()
    const pids = await strike(fault, world)
    moments.push({ fault, from, until: Date.now(), pids })
  }
  await world.emulator.faults.clear()
  await world.emulator.assumptions.set({ upstreamMs: 0 })
  return moments
}

/** Resolves with the processes that the fault ended or suspended, once what it broke is whole again. */
async function strike(fault: Fault, world: World): Promise<number[]> {
  const { apps, emulator } = world
  await emulator.assumptions.set({ upstreamMs: fault.kind === 'slow' ? fault.upstreamMs : 0 })
  switch (fault.kind) {
    case 'kill':
      return end(fault.who, 'SIGKILL', world)
    case 'stop':
      return end([fault.who], 'SIGTERM', world)
    case 'die': {
      const app = apps[fault.who]
      app.order({ do: 'die', at: fault.at, passage: fault.passage })
      // Without traffic it may never pass there again.
      await Promise.race([app.ended, world.traffic.done])
      return end([fault.who], 'SIGKILL', world)
    }
    case 'suspend': {
      const app = apps[fault.who]
      app.order({ do: 'suspend' })
      await wait(fault.ms)
      app.wake()
      return [app.pid]
    }
    case 'lock':
      await lock(world.database, fault.ms)
      return []
    case 'disk':
      world.failDisk(fault.who, fault.failures)
      await wait(DISK_FAILS_MS)
      world.failDisk(fault.who, { fsyncs: 0, writes: 0 })
      await mended(world, fault.who)
      return []
    case 'log':
      return removeLog(fault.who, fault.index, world)
    case 'clock':
      await world.setClock(fault.ahead)
      return []
    case 'service':
      await emulator.faults.set([fault.rule])
      return []
    case 'slow':
      return []
  }
}

/** Nobody mends a log that two processes have open: the one that is left does, and begins another log. */
async function removeLog(who: Who, index: boolean, { apps, database, restart }: World): Promise<number[]> {
  const log = `${database}-wal`
  rmSync(log)
  if (index) rmSync(`${database}-shm`)
  const app = apps[who]
  await app.end('SIGKILL')
  while (!existsSync(log)) await wait(LOG_LOOK_MS)
  await restart(who)
  return [app.pid]
}

/** A process whose commit has failed closes the log until it could write it anew: nobody saves what nobody has open. */
async function mended({ apps, database }: World, who: Who): Promise<void> {
  for (let seen = 0; seen < LOOKS; await wait(LOG_LOOK_MS)) seen = isOpenIn(apps[who], `${database}-wal`) ? seen + 1 : 0
}

/** Always where the system does not tell; there no disk fails either. */
function isOpenIn({ pid }: App, file: string): boolean {
  const handles = `/proc/${pid}/fd`
  if (!existsSync(handles)) return true
  return readdirSync(handles).some((handle) => {
    try {
      return readlinkSync(join(handles, handle)) === file
    } catch {
      return false // closed meanwhile
    }
  })
}

async function end(all: readonly Who[], signal: 'SIGKILL' | 'SIGTERM', { apps, restart }: World): Promise<number[]> {
  const ended = all.map((who) => apps[who])
  await Promise.all(ended.map((app) => app.end(signal)))
  for (const who of all) await restart(who)
  return ended.map(({ pid }) => pid)
}

/** Holds the write lock of the database for so long. */
async function lock(database: string, ms: number): Promise<void> {
  const raw = new Database(database, { timeout: 0 })
  try {
    while (!locked(raw)) await wait(LOCK_RETRY_MS)
    await wait(ms)
    raw.exec('ROLLBACK')
  } finally {
    raw.close()
  }
}

function locked(raw: Database.Database): boolean {
  try {
    raw.exec('BEGIN IMMEDIATE')
    return true
  } catch (error) {
    if ((error as { code?: string }).code === 'SQLITE_BUSY') return false
    throw error
  }
}
