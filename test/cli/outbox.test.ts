import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openSqlite } from '../../src/stores/sqlite/index.ts'
import { send } from '../stores/samples.ts'
import { switchhook } from './support.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchhook-outbox-'))
  file = join(folder, 'switchhook.db')
})
afterEach(() => rmSync(folder, { recursive: true }))

const resume = (...args: string[]) => switchhook(['outbox', 'resume', ...args], {}, folder).ended

/** A database as a backup brings it back: two open sends of two numbers, held at its start. */
async function restored(): Promise<void> {
  const before = openSqlite(file)
  await before.openSend(send({ number: 'retail' }))
  await before.openSend(send({ number: 'wholesale' }))
  await before.close()
  await openSqlite(file, { restored: true }).close()
}

async function states(): Promise<unknown> {
  const store = openSqlite(file)
  const { sends } = await store.counts()
  await store.close()
  return sends
}

describe('switchhook outbox resume', () => {
  it('lets the sends of a restored database go, all or one number’s', async () => {
    await restored()
    expect(await states()).toEqual({ held: 2 })
    expect(await resume('--number', 'retail', '--json')).toMatchObject({ code: 0, stdout: '{"resumed":1}\n' })
    expect(await states()).toEqual({ held: 1, ready: 1 })
    expect(await resume()).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('1 held send goes out'),
    })
    expect(await states()).toEqual({ ready: 2 })
    expect(await resume('--json')).toMatchObject({ code: 0, stdout: '{"resumed":0}\n' })
  })

  it('says in one line that there is no database, and makes none', async () => {
    const { code, stderr } = await resume()
    expect(code).toBe(1)
    expect(stderr.trim().split('\n')).toEqual([expect.stringContaining('there is no database at ./switchhook.db')])
  })
})
