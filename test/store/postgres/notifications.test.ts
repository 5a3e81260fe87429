import { expect, it } from 'vitest'
import { Notifications } from '../../../src/store/postgres/notifications.ts'
import type { PostgresPool } from '../../../src/store/postgres/pool.ts'
import { createListeners } from '../../../src/store/database/engine.ts'
import { manualTime } from '../../emulator/support/time.ts'

/** A connection that keeps what was asked of it. */
function listening(answer: () => Promise<void> = async () => {}) {
  const asked: string[] = []
  const woken: string[] = []
  let hear = (_notification: unknown) => {}
  const pool: PostgresPool = {
    connect: async () => ({
      query: ({ text }: { text: string }) => {
        asked.push(text)
        return answer()
      },
      on(event, listener) {
        if (event === 'notification') hear = listener
      },
      removeListener: () => {},
      release: () => {},
    }),
  }
  const time = manualTime()
  const notifications = new Notifications({ pool, timers: time.timers, onWake: (work) => woken.push(work) })
  /** The notifications since the last look, without their sender. */
  const told = () => asked.splice(0).map((text) => text.replace(/^NOTIFY switchhook, '\w+ (.*)'$/, '$1'))
  return { time, notifications, told, woken, hear: (notification: unknown) => hear(notification) }
}

it('a process tells of work at once, and of all that follows within 20 ms in one more notification', async () => {
  const { time, notifications, told } = listening()
  await expect.poll(told).toEqual(['LISTEN switchhook'])
  for (let commits = 0; commits < 100; commits++) notifications.tell('items')
  expect(told()).toEqual(['items'])
  notifications.tell('sends')
  time.pass(19)
  notifications.tell('items')
  notifications.tell('items')
  expect(told()).toEqual([])
  time.pass(1)
  await expect.poll(told).toEqual(['items sends'])
  time.pass(100)
  expect(told()).toEqual([])
})

it('a connection is asked nothing while it has not answered, however long that takes', async () => {
  let answer = () => {}
  const { time, notifications, told } = listening(() => new Promise((answered) => (answer = answered)))
  await expect.poll(told).toEqual(['LISTEN switchhook'])
  answer()
  notifications.tell('items')
  await expect.poll(told).toEqual(['items'])
  notifications.tell('sends')
  time.pass(100)
  const closed = notifications.close()
  expect(told()).toEqual([])
  answer()
  await expect.poll(told).toEqual(['sends'])
  answer()
  await closed
})

it('a process that ends tells of what it has just made', async () => {
  const { notifications, told } = listening()
  await expect.poll(told).toEqual(['LISTEN switchhook'])
  notifications.tell('items')
  notifications.tell('sends')
  await notifications.close()
  expect(told()).toEqual(['items', 'sends'])
})

it('work that was made before the line stood is announced once it stands', async () => {
  const { notifications, told } = listening()
  notifications.tell('items')
  await expect.poll(told).toEqual(['LISTEN switchhook', 'items'])
})

it('whatever another role of the database, or a newer release, notifies of ends no process and wakes nothing else', async () => {
  const { told, woken, hear } = listening()
  await expect.poll(told).toEqual(['LISTEN switchhook'])
  const strange = [
    'x foo',
    'foo',
    '',
    ' ',
    'x  ',
    'x __proto__',
    'x constructor',
    'x toString',
    'x ITEMS',
    'x doubt',
    '- \0',
  ]
  for (const payload of strange) hear({ channel: 'switchhook', payload })
  for (const notification of [undefined, null, {}, { channel: 'switchhook' }, { channel: 'switchhook', payload: 7 }])
    hear(notification)
  hear({ channel: 'orders', payload: 'x items' })
  expect(woken).toEqual([])
  hear({ channel: 'switchhook', payload: 'x reports items sends' })
  expect(woken).toEqual(['items', 'sends'])
})

it('a listener that throws keeps no other from hearing of work', () => {
  const { onWork, onWake } = createListeners()
  const woken: string[] = []
  onWork(() => {
    throw new Error('a bug')
  })
  onWork((work) => woken.push(work))
  onWake('items')
  expect(woken).toEqual(['items'])
})
