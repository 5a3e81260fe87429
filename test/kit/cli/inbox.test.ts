import { readdirSync, readFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { alone, DEAD, inboxFolder } from './inbox-support.ts'

const { file, inApp, inbox, came, handled, states, folder } = inboxFolder()

const CALLS = [
  ['ls'],
  ['show', '1'],
  ['retry', '1'],
  ['export', '--reveal'],
  ['prune', '--verify'],
  ['forget', '255712000101', '--yes'],
]

describe('switchhook inbox', () => {
  it('explains in one line that there is no database, and creates none', async () => {
    for (const { code, stdout, stderr } of await Promise.all(CALLS.map((args) => inbox(...args)))) {
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toMatch(
        /^switchhook: there is no database at \/.*\/switchhook\.db: .* --database \.switchhook\/dev\.db .*\n$/,
      )
    }
    expect(readdirSync(folder())).toEqual([])
  })

  it('does not change a database that is not ours, and explains that [F-57]', async () => {
    const other = new Database(file())
    other.exec('CREATE TABLE people (id INTEGER); PRAGMA user_version = 1')
    other.close()
    const before = readFileSync(file())
    for (const args of [['ls'], ['retry', '--dead']])
      expect(await inbox(...args)).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('people') })
    expect(readFileSync(file())).toEqual(before)
  })

  it('reports that a newer release wrote the database, and does not read it [F-57]', async () => {
    await inApp(async () => {})
    const raw = new Database(file())
    raw.pragma('user_version = 999')
    raw.close()
    expect(await inbox('ls')).toMatchObject({ code: 1, stderr: expect.stringContaining('has schema 999') })
  })

  it('neither reads nor changes a database of another unreleased build, and says which to start', async () => {
    const seq = await came([alone()])
    const raw = new Database(file())
    raw.exec("DELETE FROM meta WHERE name = 'schema_digest'")
    raw.close()
    const before = readFileSync(file())
    for (const args of [['ls'], ['retry', `${seq}`]])
      expect(await inbox(...args)).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('unreleased') })
    expect(readFileSync(file())).toEqual(before)
  })

  it('exits with 1 for an unknown delivery, and requeues none of the others', async () => {
    const seq = await came([alone()])
    await handled(DEAD)
    const calls = [
      ['show', '999'],
      ['show', 'nobody'],
      ['retry', String(seq), '999'],
    ]
    const ended = await Promise.all(calls.map((args) => inbox(...args)))
    for (const [place, { code, stdout, stderr }] of ended.entries()) {
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toBe(
        `switchhook: no delivery has the number or id "${calls[place]?.at(-1)}": \`switchhook inbox ls\` shows them\n`,
      )
    }
    expect((await states()).items).toEqual({ dead: 1 })
  })
})
