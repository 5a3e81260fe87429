import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { openSqlite } from '../../../src/store/sqlite/sqlite-store.ts'
import { send } from '../../store/samples.ts'
import { ASHA, JUMA } from '../../support/world.ts'
import { alone, arrived, DEAD, handle, inboxFolder } from './inbox-support.ts'
import { jsonLines, startSwitchhook } from './support.ts'

const { inbox, inApp, file, folder } = inboxFolder()

const DAY = 86_400_000

/** One delivery that was handled so many days ago, by the clock of the app as it was. */
async function handledAgo(days: number, text = `handled ${days} days ago`): Promise<number> {
  const then = Date.now() - days * DAY
  return inApp(async (store) => {
    const seq = await arrived(store, [alone()], { text, receivedAt: then })
    const [held] = (await store.claimItems({ owner: 'app', limit: 1, now: then, leaseMs: 1 })).begun
    if (!held) throw new Error('nothing was begun')
    await store.settleItem(held.fence, held.work.id, { as: 'done' }, { now: then, goOn: false })
    return seq
  })
}

const left = () =>
  inApp(async (store) => {
    const { deliveries } = await store.listDeliveries({ limit: 99 })
    return deliveries.map(({ seq, hasBytes }) => [seq, hasBytes]).reverse()
  })

describe('switchhook inbox prune', () => {
  it('removes by age, and takes the bytes out of the files [F-59, F-89]', async () => {
    await handledAgo(31, 'canary-of-old')
    const wiped = await handledAgo(8, 'canary-of-late')
    const young = await handledAgo(6)
    const dead = await inApp(async (store) => {
      const seq = await arrived(store, [alone()], { receivedAt: Date.now() - 99 * DAY })
      await handle(store, DEAD)
      return seq
    })
    // With the app at work the log is not taken away by the last one who closes.
    const app = openSqlite(file())
    const { stdout } = await inbox('prune', '--json')
    const bytes = ['', '-wal'].map((end) => readFileSync(file() + end).toString('latin1')).join()
    await app.close()
    expect(bytes).not.toContain('canary-of')
    expect(jsonLines(stdout)).toEqual([{ wiped: 2, removed: 1, whole: true }])
    expect(await left()).toEqual([
      [wiped, false],
      [young, true],
      [dead, true],
    ])
  })

  it('accepts other ages, bytes never later than the rest, and none so short that a replay would be accepted', async () => {
    const seq = await handledAgo(3)
    const short = await inbox('prune', '--older-than', '9m')
    expect(short).toMatchObject({ code: 2, stderr: expect.stringContaining('--older-than: expected at least 10m') })
    const wrong = await inbox('prune', '--older-than', 'soon')
    expect(wrong).toMatchObject({ code: 2, stdout: '' })
    expect(await inbox('prune', '--bytes-older-than', '4d')).toMatchObject({
      stderr: expect.stringMatching(/ 0 .* 0 /),
    })
    expect(await left()).toEqual([[seq, true]])
    const { stderr } = await inbox('prune', '--older-than', '2d')
    expect(stderr).toBe('Removed the bytes of 1 delivery, and 1 delivery completely.\n')
    expect(await left()).toEqual([])
  })
})

describe('switchhook inbox forget', () => {
  it('erases everything stored about a customer on every number, prints how much, and leaves the others [F-87]', async () => {
    await inApp(async (store) => {
      await arrived(store, [alone({ number: 'retail' })])
      await arrived(store, [alone()])
      await arrived(store, [alone({ number: 'wholesale' })])
      await arrived(store, [alone({ customer: JUMA })])
      await handle(store, DEAD)
      await store.openSend(send())
      await arrived(store, [], { text: `for ${ASHA}` })
    })
    const refused = await inbox('forget', ASHA)
    expect(refused).toEqual({
      code: 4,
      stdout: '',
      stderr:
        'switchhook: this would erase everything stored about …101 (items: 3, sends: 1, unread: 1), and cannot be undone: pass --yes\n',
    })
    const one = await inbox('forget', ASHA, '--number', 'retail', '--yes', '--json')
    expect([one.code, one.stderr]).toEqual([0, ''])
    expect(jsonLines(one.stdout)).toEqual([
      {
        customer: '…101',
        erased: {
          items: 1,
          sends: 0,
          sessions: 0,
          windows: 0,
          takeovers: 0,
          conversations: 0,
          timers: 0,
          optOuts: 0,
          announcements: 0,
          unread: 1,
        },
        left: 0,
        whole: true,
      },
    ])
    const rest = await inbox('forget', ASHA, '--yes')
    expect(rest).toEqual({ code: 0, stdout: '', stderr: 'Erased for …101: items: 2, sends: 1.\n' })
    const bytes = ['', '-wal'].map((end) => readFileSync(file() + end, { flag: 'a+' }).toString('latin1')).join()
    expect(bytes).toContain(JUMA)
    expect(await inApp((store) => store.holding(ASHA))).toEqual({ numbers: {}, naming: 0 })
    expect(await inbox('forget', ASHA, '--yes')).toMatchObject({ stderr: 'Erased for …101: nothing.\n' })
  })

  it.for([
    ['\u0003', 130, 'interrupted; nothing was erased'],
    ['\u0004', 4, 'nobody confirmed it; nothing was erased'],
    ['n\r', 4, 'nobody confirmed it; nothing was erased'],
  ] as const)('asks at a terminal, and erases nothing if the answer is %j [F-87]', async ([typed, expected, says]) => {
    await inApp((store) => arrived(store, [alone()]))
    const asking = startSwitchhook(['inbox', 'forget', ASHA], {}, folder(), { terminal: true })
    await asking.heard('stderr', /This will erase everything stored about …101 \(items: 1\).*\[y\/N\] /)
    asking.type(typed)
    const { code, stderr } = await asking.ended
    expect([code, stderr]).toEqual([expected, expect.stringContaining(says)])
    expect(Object.keys((await inApp((store) => store.holding(ASHA))).numbers)).toEqual(['default'])
  })
})
