import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fillWithKnown } from '../../tools/bench/fill.ts'
import { read } from '../store/sqlite-backend.ts'
import { createPoster, messageFrom, type Poster } from '../../tools/torture/post.ts'
import { type App, openHarness, SECRET, type Harness } from '../../tools/torture/processes.ts'

const KNOWN = 5_000
const CONNECTIONS = 40
const CUSTOMER = '255712000100'
const DAY = 86_400_000

describe('a process that serves under load, on a file of many rows', () => {
  let harness: Harness
  let app: App
  let posters: Poster[]
  let load: { answers: Map<string, number>; end(): Promise<void> }
  beforeEach(async () => {
    harness = openHarness()
    posters = [createPoster(SECRET), createPoster(SECRET)]
    const first = await harness.launch()
    const seeds = Array.from({ length: 20 }, (_, index) => messageFrom(`${Number(CUSTOMER) + (index % 4)}`, 'hello'))
    for (const seed of seeds) await posters[0]?.post(first.url, seed)
    await first.handled(seeds.length)
    await first.end('SIGTERM')
    fillWithKnown(harness.database, KNOWN)
    app = await harness.launch({ notesSends: true })
    load = startLoad()
    await answered(100)
  })
  afterEach(async () => {
    await load.end()
    for (const poster of posters) poster.close()
    await harness[Symbol.asyncDispose]()
  })

  it('answers no delivery with 503 while another process holds the write lock for two seconds [F-98]', async () => {
    const writer = fork(resolve(import.meta.dirname, '../support/hold-lock.ts'), [harness.database, '2000'])
    await ended(writer)
    await answered(100)
    await load.end()
    expect([...load.answers.keys()]).toEqual(['200'])
  })

  it('answers no delivery with 503 while commands work through the file [F-99]', async () => {
    await command('inbox', 'forget', CUSTOMER, '--yes')
    expect(read(harness.database, `SELECT 1 FROM inbox WHERE customer = '${CUSTOMER}'`)).toEqual([])
    change(`
      INSERT INTO work (item, lane, number, at, state, run, attempts, followed, interrupted, since)
      SELECT id, lane, number, at, 'dead', 1, 8, 0, 0, received_at FROM inbox
      WHERE customer = '${Number(CUSTOMER) + 1}' AND kind = 'message'`)
    await command('inbox', 'retry', '--dead')
    expect(read(harness.database, "SELECT 1 FROM work WHERE state = 'dead'")).toEqual([])
    age()
    await command('inbox', 'prune')
    // Retried items may wait still.
    expect(oldRows()).toBeLessThanOrEqual(KNOWN / 4)
    await command('outbox', 'resume')
    await command('inbox', 'export', '--out', `${harness.folder}/recorded.jsonl`)
    await load.end()
    expect([...load.answers.keys()]).toEqual(['200'])
  })

  /** Deliveries come over so many connections without a pause. */
  function startLoad(): typeof load {
    const answers = new Map<string, number>()
    let going = true
    const connections = Array.from({ length: CONNECTIONS }, async (_, index) => {
      while (going) {
        const outcome = await posters[index % 2]?.post(app.url, messageFrom(`2557130001${index + 10}`, 'hello'))
        const answer = outcome && 'status' in outcome ? String(outcome.status) : JSON.stringify(outcome)
        answers.set(answer, (answers.get(answer) ?? 0) + 1)
      }
    })
    return {
      answers,
      async end() {
        going = false
        await Promise.all(connections)
      },
    }
  }

  /** Resolves when so many more deliveries were answered. */
  async function answered(more: number): Promise<void> {
    const count = () => [...load.answers.values()].reduce((sum, one) => sum + one, 0)
    const before = count()
    await expect.poll(count, { timeout: 60_000 }).toBeGreaterThanOrEqual(before + more)
  }

  async function command(...args: string[]): Promise<void> {
    const main = resolve(import.meta.dirname, '../../src/kit/cli/main.ts')
    const argv = ['--conditions=switchhook-source', main, ...args, '--database', harness.database]
    expect(await ended(spawn(process.execPath, argv, { stdio: 'ignore' }))).toBe(0)
  }

  /** Makes the rows that the file was filled with older than it is kept. */
  function age(): void {
    change(`UPDATE inbox SET received_at = received_at - ${40 * DAY} WHERE id <= ${KNOWN}`)
  }

  function oldRows(): number {
    return read(harness.database, `SELECT 1 FROM inbox WHERE received_at < ${Date.now() - 35 * DAY}`).length
  }

  function change(text: string): void {
    const raw = new Database(harness.database, { timeout: 60_000 })
    raw.exec(`BEGIN IMMEDIATE; ${text}; COMMIT`)
    raw.close()
  }
})

async function ended(child: ChildProcess): Promise<number | null> {
  const [code] = (await once(child, 'exit')) as [number | null]
  return code
}
