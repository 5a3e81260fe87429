import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { fresh, outboxFolder, UNKNOWN } from './outbox-support.ts'

const { file, inApp, outbox, attempted, folder } = outboxFolder()

/** A database as a backup brings it back: two open sends of two numbers, held at its start. */
async function restored(): Promise<void> {
  await inApp(async (store) => {
    await store.openSend(fresh({ number: 'retail' }))
    await store.openSend(fresh({ number: 'wholesale' }))
  })
  await inApp(async () => {}, { restored: true })
}

const states = () => inApp(async (store) => (await store.counts()).sends)

describe('switchhook outbox resume', () => {
  it('lets the sends of a restored database go, one number’s or all', async () => {
    await restored()
    expect(await states()).toEqual({ held: 2 })
    const first = await outbox('resume', 'retail', '--json')
    expect(first).toMatchObject({ code: 0, stdout: '{"queues":[],"held":0,"restored":1}\n', stderr: '' })
    expect(await states()).toEqual({ held: 1, ready: 1 })
    const second = await outbox('resume')
    expect(second).toMatchObject({ code: 0, stdout: '' })
    expect(second.stderr).toBe(
      '1 send of the restored database goes out now, marked as possibly sent twice.\n' +
        'The app does it within a second, or when it starts.\n',
    )
    expect(await states()).toEqual({ ready: 2 })
    expect(await outbox('resume', 'retail')).toMatchObject({ code: 0, stderr: 'Nothing was held for retail.\n' })
  })

  it('tries a stopped queue at once and says so, and uses up no attempt [B ERR-05, F-72]', async () => {
    const move = {
      stopped: true,
      closedUntil: Date.now() + 3_600_000,
      inARow: 1,
      code: 'not_authenticated',
      reason: 'no',
    }
    const held = { as: 'held', code: 'not_authenticated', reason: 'no' } as const
    const one = await attempted(fresh({ number: 'retail' }), held, { move })
    await inApp((store) => store.openSend(fresh({ number: 'retail' })))
    const { code, stdout, stderr } = await outbox('resume')
    expect([code, stdout]).toEqual([0, ''])
    expect(stderr).toContain(
      'Tried at once, with one send each: the queue of retail.\n2 held sends go out where that passes.',
    )
    await inApp(async (store) => {
      const claimed = await store.claimSends({ owner: 'app', limit: 16, now: Date.now(), leaseMs: 10_000 })
      expect(claimed.held.map(({ work }) => work.send)).toMatchObject([
        { id: one.id, attempts: 0, possiblyTwice: false },
      ])
    })
  })
})

describe('switchhook outbox', () => {
  it.each([['ls'], ['show', 'x'], ['resolve', 'x', '--drop'], ['resume']])(
    'says in one line that there is no database, and makes none: %s',
    async (...args) => {
      const { code, stdout, stderr } = await outbox(...args)
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toMatch(/^switchhook: there is no database at \.\/switchhook\.db: .*\n$/)
      expect(readdirSync(folder())).toEqual([])
    },
  )

  it('leaves alone what is no database of ours, and says in one line what it is [F-57]', async () => {
    const other = new Database(file())
    other.exec('CREATE TABLE people (id INTEGER); PRAGMA user_version = 1')
    other.close()
    const before = readFileSync(file())
    for (const args of [['ls'], ['resume']]) {
      const { code, stdout, stderr } = await outbox(...args)
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toMatch(/^switchhook: the database .* cannot be opened: .*people.*\n$/)
    }
    expect(readFileSync(file())).toEqual(before)
  })

  it('makes no database of an empty file, and brings none up to date under an app of an older release [F-57]', async () => {
    writeFileSync(file(), '')
    const empty = await outbox('resume')
    expect([empty.code, readFileSync(file()).length, readdirSync(folder())]).toEqual([1, 0, ['switchhook.db']])
    rmSync(file())
    await inApp(async () => {})
    const raw = new Database(file())
    raw.pragma('user_version = 0')
    raw.close()
    const { code, stderr } = await outbox('resume')
    expect([code, stderr]).toEqual([1, expect.stringContaining('the app brings it up to date as it starts')])
  })

  it('says of a database that a newer release wrote that it is newer, and reads nothing of it [F-57]', async () => {
    await inApp(async () => {})
    const raw = new Database(file())
    raw.pragma('user_version = 999')
    raw.close()
    const { code, stderr } = await outbox('ls')
    expect([code, stderr]).toEqual([1, expect.stringContaining('has schema 999')])
  })

  it('exits with 2 if it is called wrongly, and with 1 if there is no such send', async () => {
    const { id } = await attempted(fresh(), UNKNOWN)
    for (const args of [
      [],
      ['nothing'],
      ['ls', '--state', 'sent'],
      ['ls', '--limit', '0'],
      ['ls', '--customer', 'asha'],
      ['show'],
      ['resolve', '--drop'],
      ['resolve', id],
      ['resolve', id, '--drop', '--resend'],
      ['resume', 'a', 'b'],
    ])
      expect(await outbox(...args), args.join(' ')).toMatchObject({ code: 2, stdout: '' })
    for (const args of [
      ['show', 'nobody'],
      ['resolve', 'nobody', '--drop'],
    ]) {
      const { code, stdout, stderr } = await outbox(...args)
      expect([code, stdout, stderr.trimEnd().split('\n').length]).toEqual([1, '', 1])
      expect(stderr).toContain('there is no send "nobody"')
    }
  })

  it('has its commands', async () => {
    const { stdout } = await outbox('--help')
    const commands = [...stdout.matchAll(/^ {2}(\w+) \[options\]/gm)].map((line) => line[1])
    expect(commands).toEqual(['ls', 'show', 'resolve', 'resume', 'hold'])
  })

  it('explains each command with an example', async () => {
    for (const args of [[], ['ls'], ['show'], ['resolve'], ['resume'], ['hold']]) {
      const { code, stdout } = await outbox(...args, '--help')
      expect(code).toBe(0)
      expect(stdout).toContain(`Example:\n  $ switchhook outbox ${args[0] ?? 'ls'}`)
    }
  })
})
