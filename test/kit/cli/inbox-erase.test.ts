import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { send } from '../../store/samples.ts'
import { ASHA, JUMA } from '../../support/world.ts'
import { alone, arrived, DEAD, handle, inboxFolder } from './inbox-support.ts'
import { jsonLines } from './support.ts'

const { inbox, inApp, file } = inboxFolder()

it('switchhook inbox forget erases everything stored about a customer on every number, prints how much, and leaves the others [F-87]', async () => {
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
  const one = await inbox('forget', ASHA, '--yes', '--json')
  expect([one.code, one.stderr]).toEqual([0, ''])
  expect(jsonLines(one.stdout)).toEqual([
    {
      customer: '…101',
      erased: {
        items: 3,
        sends: 1,
        sessions: 0,
        windows: 0,
        takeovers: 0,
        conversations: 0,
        timers: 0,
        optOuts: 0,
        announcements: 0,
        people: 0,
        notes: 0,
        unread: 1,
      },
      left: 0,
      whole: true,
    },
  ])
  const bytes = ['', '-wal'].map((end) => readFileSync(file() + end, { flag: 'a+' }).toString('latin1')).join()
  expect(bytes).toContain(JUMA)
  expect(await inApp((store) => store.countKept(ASHA))).toEqual({ numbers: {}, naming: 0 })
  expect(await inbox('forget', ASHA, '--yes')).toMatchObject({ stderr: 'Erased for …101: nothing.\n' })
})
