import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { openSqlite } from '../../src/store/sqlite/sqlite-store.ts'
import { chanceOf } from './chance.ts'
import { createDisk, type Library } from './disk.ts'
import type { Entry } from './log.ts'
import { createPlatter } from './platter.ts'
import type { Session } from './writer.ts'

const FAILING = ['commit', 'commit', 'checkpoint', 'half a checkpoint', 'write'] as const

const ENDS = ['close', 'kill', 'kill at the failure'] as const

/** A folder in which syncs cost nothing, if there is one. */
const FAST = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** The result of power cuts at random moments of one disk's life have shown. */
export interface Outcome {
  cuts: number
  /** Cuts after which something was missing or broken. */
  bad: number
  acknowledged: number
  /** The first cut that was bad, in words. */
  first: string | undefined
}

/**
 * Lets processes live on one disk, one after another, and then cuts the power at random moments of that life: the files
 * are made as a disk could have them, opened by the store, and searched for what had been acknowledged by then.
 */
export async function simulate(o: {
  readonly library: Library
  readonly seed: number
  /** How many syncs fail in a row, in one of the processes. */
  readonly failures: number
  readonly cuts: number
  readonly deliveries: number
}): Promise<Outcome> {
  const chance = chanceOf(o.seed)
  const disk = createDisk(o.library)
  try {
    const failing = Math.floor(chance() * 2)
    const reverts = chance() < 0.3
    for (let index = 0; index < 3; index++) {
      disk.fail({ fsyncs: 0, spared: 0 })
      await run(disk.env, {
        seed: Math.floor(chance() * 2 ** 31),
        from: index * o.deliveries,
        deliveries: o.deliveries,
        failures: index === failing ? { fsyncs: o.failures, reverts } : {},
        failAt: Math.floor(chance() * o.deliveries),
        failing: FAILING[Math.floor(chance() * FAILING.length)] ?? 'commit',
        end: ENDS[Math.floor(chance() * ENDS.length)] ?? 'kill',
      })
    }
    return await cutAll(disk.log(), o.cuts, chance, o.seed)
  } finally {
    disk.remove()
  }
}

async function run(env: Readonly<Record<string, string>>, session: Session): Promise<void> {
  const writer = join(import.meta.dirname, 'writer.ts')
  const child = spawn(process.execPath, ['--conditions=switchhook-source', writer, JSON.stringify(session)], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
  if (code !== 0 && signal !== 'SIGKILL') throw new Error(`the writer ended with ${code ?? signal}`)
}

async function cutAll(log: readonly Entry[], cuts: number, chance: () => number, seed: number): Promise<Outcome> {
  const outcome: Outcome = { cuts: 0, bad: 0, acknowledged: 0, first: undefined }
  const moments = momentsIn(log, cuts, chance)
  const platter = createPlatter()
  const acknowledged: string[] = []
  let at = 0
  for (const moment of moments) {
    for (; at < moment; at++) {
      const entry = log[at] as Entry
      if (entry.as === 'acknowledged') acknowledged.push(entry.id)
      else platter.take(entry)
    }
    const folder = mkdtempSync(join(FAST, 'switchhook-cut-'))
    try {
      platter.cut(folder, chance)
      const wrong = await wrongWith(join(folder, 'bot.db'), acknowledged)
      outcome.cuts++
      if (wrong === undefined) continue
      outcome.bad++
      outcome.first ??= `seed ${seed}, cut at ${moment} of ${log.length}: ${wrong}`
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
  outcome.acknowledged = acknowledged.length
  return outcome
}

/** Half of them anywhere, and half not long after a sync that failed, the nearer the more. */
function momentsIn(log: readonly Entry[], cuts: number, chance: () => number): number[] {
  const failed = log.flatMap(({ as }, index) => (as === 'dropped' ? [index] : []))
  const moments = Array.from({ length: cuts }, (_, index) => {
    const from = failed[Math.floor(chance() * failed.length)]
    return index % 2 === 0 || from === undefined ? chance() * (log.length + 1) : from + 600 * chance() ** 3
  })
  return moments.map((moment) => Math.min(log.length, Math.floor(moment))).sort((a, b) => a - b)
}

/** Opens what is left, as the next start does; undefined if all is there. */
async function wrongWith(file: string, acknowledged: readonly string[]): Promise<string | undefined> {
  try {
    await openSqlite(file).close()
  } catch (error) {
    return `it does not open: ${(error as Error).message}`
  }
  const raw = new Database(file, { readonly: true })
  try {
    const [check] = raw.pragma('integrity_check') as { integrity_check: string }[]
    if (check?.integrity_check !== 'ok') return `it is corrupt: ${check?.integrity_check}`
    const ids = raw.prepare('SELECT delivery_id FROM inbox').pluck().all()
    const found = new Set(ids)
    const missing = acknowledged.filter((id) => !found.has(id))
    return missing.length === 0 ? undefined : `${missing.length} of ${acknowledged.length} acknowledged are missing`
  } catch (error) {
    return `it cannot be read: ${(error as Error).message}`
  } finally {
    raw.close()
  }
}
