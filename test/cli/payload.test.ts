import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { shapeOf } from '../../src/payload/index.ts'
import type { NewDelivery } from '../../src/stores/port/index.ts'
import { openSqlite } from '../../src/stores/sqlite/index.ts'
import { delivery } from '../stores/samples.ts'
import { switchhook } from './support.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchhook-payload-'))
  file = join(folder, 'switchhook.db')
})
afterEach(() => rmSync(folder, { recursive: true }))

const types = (args: readonly string[] = [], environment: Record<string, string> = {}) =>
  switchhook(['payload', 'types', ...args], environment, folder)

/** An app's database with what it received; still open, as the app's own would be. */
async function received(...deliveries: (Partial<NewDelivery> & { json?: unknown })[]) {
  const store = openSqlite(file)
  for (const { json, ...given } of deliveries)
    await store.accept(delivery({ ...given, ...(json !== undefined && { body: Buffer.from(JSON.stringify(json)) }) }))
  return store
}

describe('switchhook payload types', () => {
  it('writes the types of what the app in this folder received, while it runs and when it has stopped [R EVT-05]', async () => {
    const store = await received(
      { event: 'order.created', json: { id: 'o-1', total: 12 } },
      { event: 'order.created', json: { id: 'o-2' } },
    )
    const running = await types()
    expect([running.code, running.stderr]).toEqual([0, ''])
    expect(running.stdout).toContain(
      "    /** seen: 2 */\n    'order.created': {\n      id: string\n      total?: number\n    }\n",
    )
    expect(running.stdout).not.toMatch(/o-1|12/)
    await store.accept(delivery({ event: 'order.cancelled', text: 'x' }))
    expect((await types()).stdout).toContain("'order.cancelled': {\n      text: string")
    await store.close()
    expect((await types()).code).toBe(0)
  })

  it('changes nothing in the database, and the app opens it as before [R EVT-05]', async () => {
    await (await received({})).close()
    const before = [readFileSync(file), statSync(file).mode]
    expect((await types()).code).toBe(0)
    expect([readFileSync(file), statSync(file).mode]).toEqual(before)
    const store = openSqlite(file)
    expect((await store.accept(delivery())).as).toBe('stored')
    await store.close()
  })

  it('takes the shapes of a lock, also where no app has run [R EVT-05, EVT-08]', async () => {
    const { fingerprint, paths } = shapeOf({ data: { from: '' } })
    const shapes = { [fingerprint]: paths }
    const lock = { version: 1, events: { 'message.received': { facts: { customer: ['data.from:string'] }, shapes } } }
    writeFileSync(join(folder, 'payload.lock.json'), JSON.stringify(lock))
    const alone = await types()
    expect([alone.code, alone.stderr]).toEqual([0, ''])
    expect(alone.stdout).toContain(
      "/** seen: 0, locked shapes: 1 */\n    'message.received': {\n      data: {\n        from: string\n",
    )
    await (await received({ json: { data: { from: 255712000101 } } })).close()
    expect((await types()).stdout).toContain('from: string | number\n')
    writeFileSync(join(folder, 'other.json'), '{}')
    expect((await types(['--lock', 'other.json'])).stderr).toContain('other.json cannot be read')
    expect((await types(['--lock', 'none.json'])).code).toBe(1)
  })

  it('takes the database of the flag, else of the environment [R EVT-05]', async () => {
    await (await received({ event: 'order.created' })).close()
    const elsewhere = join(folder, 'elsewhere.db')
    for (const found of [
      await types(['--database', file], { SWITCHHOOK_DATABASE: elsewhere }),
      await types([], { SWITCHHOOK_DATABASE: file }),
    ])
      expect([found.code, found.stderr, found.stdout.includes('order.created')]).toEqual([0, '', true])
    expect((await types([], { SWITCHHOOK_DATABASE: elsewhere })).stderr).toContain(elsewhere)
  })

  it('leaves out what may be of another event or was never understood [R EVT-05]', async () => {
    const store = await received(
      { event: 'order.created', json: { a: 1 } },
      { event: 'message.received', stale: true, json: { b: 1 } },
      { event: 'message.status', unclear: 'no delivery id', deliveryId: undefined, json: { c: 1 } },
    )
    const { stdout } = await types()
    await store.close()
    expect(stdout.match(/seen: \d+/g)).toEqual(['seen: 1'])
    expect(stdout).toContain('order.created')
  })

  it('writes to a file and names it, again over its own, and never over a file that is not its own', async () => {
    await (await received({})).close()
    const out = join(folder, 'payloads.d.ts')
    for (let run = 0; run < 2; run++) {
      const { code, stdout, stderr } = await types(['--out', out])
      expect([code, stdout, stderr]).toEqual([0, '', `The types are in ${out}: observed, not contract.\n`])
    }
    expect(readFileSync(out, 'utf8')).toBe((await types()).stdout)
    writeFileSync(join(folder, 'mine.ts'), 'export const mine = 1\n')
    for (const other of ['mine.ts', 'switchhook.db', 'none/payloads.d.ts', '.']) {
      const before = existsSync(join(folder, other)) && other !== '.' && readFileSync(join(folder, other))
      const { code, stdout, stderr } = await types(['--out', other])
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toMatch(/^switchhook: the types cannot be written to .*\n$/)
      if (before) expect(readFileSync(join(folder, other))).toEqual(before)
    }
  })

  it('prints one line of JSON on stdout with --json', async () => {
    await (await received({})).close()
    const { code, stdout, stderr } = await types(['--json'])
    expect([code, stderr, stdout.trimEnd().includes('\n')]).toEqual([0, '', false])
    expect(JSON.parse(stdout)).toEqual({ types: (await types()).stdout })
  })

  it('exits with 1 and one line if there is no database, none of ours, or nothing in it, and makes none', async () => {
    const none = await types()
    expect([none.code, none.stdout]).toEqual([1, ''])
    expect(none.stderr).toMatch(/^switchhook: there is no database at \.\/switchhook\.db: .*\n$/)
    expect(readdirSync(folder)).toEqual([])

    writeFileSync(file, 'no database, but long enough that it is not taken for an empty one'.repeat(20))
    const other = await types()
    expect([other.code, other.stdout]).toEqual([1, ''])
    expect(other.stderr).toMatch(/^switchhook: the database .* cannot be opened: .*\n$/)

    rmSync(file)
    await (await received()).close()
    const raw = new Database(file)
    raw.pragma('user_version = 999')
    raw.close()
    const newer = await types()
    expect([newer.code, newer.stderr]).toEqual([1, expect.stringContaining('has schema 999')])

    rmSync(file)
    rmSync(`${file}.generation`)
    await (await received()).close()
    const empty = await types()
    expect([empty.code, empty.stdout]).toEqual([1, ''])
    expect(empty.stderr).toMatch(/^switchhook: nothing is recorded in .*let the app receive deliveries first.*\n$/)
  })

  it('explains itself with an example, and exits with 2 if it is called wrongly', async () => {
    const help = await types(['--help'])
    expect([help.code, help.stderr]).toEqual([0, ''])
    for (const words of ['--database', '--out', '--json', 'Example:\n  $ switchhook payload types '])
      expect(help.stdout).toContain(words)
    for (const args of [
      ['payload'],
      ['payload', 'nothing'],
      ['payload', 'types', '--bogus'],
      ['payload', 'types', 'x'],
    ])
      expect((await switchhook(args, {}, folder)).code, args.join(' ')).toBe(2)
  })
})
