import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { send } from '../../store/samples.ts'
import { ASHA, JUMA } from '../../support/world.ts'
import { alone, arrived, DEAD, handle, inboxFolder } from './inbox-support.ts'
import { jsonLines, startSwitchhook } from './support.ts'

const { inbox, inApp, file, folder } = inboxFolder()

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
