import { expect, it } from 'vitest'
import { createNotifications } from '../../../src/stores/postgres/notifications.ts'
import type { PostgresPool } from '../../../src/stores/postgres/pool.ts'
import { manualTime } from '../../emulator/support/time.ts'

/** A connection that keeps what was asked of it. */
function listening() {
  const asked: string[] = []
  const pool: PostgresPool = {
    connect: async () => ({
      query: async ({ text }: { text: string }) => void asked.push(text),
      on: () => {},
      removeListener: () => {},
      release: () => {},
    }),
  }
  const time = manualTime()
  const notifications = createNotifications({ pool, timers: time.timers, onWake: () => {} })
  /** What others were told since the last look, without the name of who told it. */
  const told = () => asked.splice(0).map((text) => text.replace(/^NOTIFY switchhook, '\w+ (.*)'$/, '$1'))
  return { time, notifications, told }
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
  expect(told()).toEqual(['items sends'])
  time.pass(100)
  expect(told()).toEqual([])
})

it('a process that ends tells of what it has just made', async () => {
  const { notifications, told } = listening()
  await expect.poll(told).toEqual(['LISTEN switchhook'])
  notifications.tell('items')
  notifications.tell('sends')
  await notifications.close()
  expect(told()).toEqual(['items', 'sends'])
})

it('work that was made before the line stood is told of once it stands', async () => {
  const { notifications, told } = listening()
  notifications.tell('items')
  await expect.poll(told).toEqual(['LISTEN switchhook', 'items'])
})
