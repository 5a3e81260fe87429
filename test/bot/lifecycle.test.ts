import { describe, expect, it } from 'vitest'
import { lifecycleOf } from '../../src/bot/lifecycle.ts'
import { EMULATOR_CLOCK_OFFSET } from '../../src/service/contract.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite-store.ts'
import { delivery } from '../store/samples.ts'
import { manualTime } from '../emulator/support/time.ts'
import { botOn } from './inbox/bot.ts'
import { headersOf, MESSAGE } from './inbox/signing.ts'

it.each([
  [{ SWITCHHOOK_RESTORED: '1' }, undefined, true],
  [{ SWITCHHOOK_RESTORED: '1' }, false, false],
  [{}, undefined, false],
  [{}, true, true],
])(
  'a start after a restore is declared by environment %j and option %s: %s [F-105]',
  async (environment, restored, expected) => {
    const asked: unknown[] = []
    const { bot } = botOn({
      overrides: {
        environment,
        open(_file, o) {
          asked.push(o.restored)
          return openSqlite(':memory:')
        },
      },
    })
    await bot.start(restored === undefined ? {} : { restored })
    await bot.stop()
    expect(asked).toEqual([expected])
  },
)

it('a store that cannot trust its files is one error in the log, and the alarm `store_failed` [F-101]', async () => {
  const line = 'the database bot.db lost its log'
  const alarms: unknown[] = []
  const { bot, lines } = botOn({
    overrides: {
      hooks: { alarm: ({ reason }) => alarms.push(reason) },
      open(file, { onFailure }) {
        onFailure(line, 'store_failed')
        return openSqlite(file)
      },
    },
  })
  await bot.start()
  expect(alarms).toEqual(['store_failed'])
  expect(lines.filter(({ level }) => level === 'error')).toEqual([
    expect.objectContaining({ about: { reason: 'store_failed' }, message: line }),
  ])
})

describe('a start that fails', () => {
  it('leaves nothing running: no lease, no maintenance, no polling [F-50]', async () => {
    const time = manualTime()
    const { bot, lines, isOpen } = botOn({
      overrides: { timers: time.timers },
      around: (store) => ({ ...store, resumeSends: () => Promise.reject(new Error('the disk is full')) }),
    })
    await expect(bot.start()).rejects.toThrow('the disk is full')
    expect(isOpen()).toBe(false)
    time.pass(3_600_000)
    await new Promise(setImmediate)
    expect(time.running).toBe(0)
    expect(lines.filter(({ level }) => level !== 'info')).toEqual([])
  })

  it('does not affect a start that was called meanwhile: a third call returns that second start [F-55]', async () => {
    const opened: string[] = []
    const { bot } = botOn({
      overrides: {
        open(file) {
          opened.push(file)
          if (opened.length === 1) throw new Error('the folder is missing')
          return openSqlite(file)
        },
      },
    })
    const first = bot.start()
    const stopped = bot.stop()
    const second = bot.start()
    await expect(first).rejects.toThrow('the folder is missing')
    await stopped
    await second
    await bot.start()
    expect(opened).toHaveLength(2)
  })
})

it('a stop ends readiness at once, and a start that is called meanwhile waits until the store is closed [R DEL-02, F-58]', async () => {
  const order: string[] = []
  const { bot } = botOn({
    overrides: {
      open(file) {
        order.push('opened')
        const store = openSqlite(file)
        return {
          ...store,
          async close() {
            await store.close()
            order.push('closed')
          },
        }
      },
    },
  })
  await bot.start()
  const life = lifecycleOf(bot)
  expect(life.ready()).toBe(true)
  const stopped = bot.stop()
  expect(life.ready()).toBe(false)
  await Promise.all([stopped, bot.start()])
  expect(order).toEqual(['opened', 'closed', 'opened'])
  expect(life.ready()).toBe(true)
})

it('a delivery whose last byte arrived before a stop is drained with stored ones, and its answer requests a new connection [R DEL-02, F-58]', async () => {
  const { bot, post } = botOn()
  await bot.start()
  // The look for what was left at the start is over.
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate)
  const order: unknown[] = []
  const answered = post().then((answer) => order.push(answer))
  await lifecycleOf(bot).stop({ onDrained: async () => void order.push('drained') })
  await answered
  expect(order).toMatchObject([{ status: 200, headers: { connection: 'close' } }, 'drained'])
})

it.each([
  ['in development the clock follows an emulator on this machine', {}, 3_600_000],
  ['in production nobody moves the clock, also beside an emulator', { NODE_ENV: 'production' }, 0],
])('%s', async (_what, environment, ahead) => {
  const store = openSqlite(':memory:')
  await store.accept(delivery({ clockOffset: 3_600_000 }))
  const { bot, post } = botOn({
    options: {
      baseUrl: 'http://127.0.0.1',
      accessToken: 'a-token-of-the-number',
      fetch: async () => new Response('{}', { headers: { [EMULATOR_CLOCK_OFFSET]: '3600000' } }),
    },
    overrides: { environment, open: () => store },
  })
  const offset = () => lifecycleOf(bot).running()?.desk.clock.offset
  await bot.start()
  expect(offset()).toBe(ahead)
  const headers = { ...headersOf(MESSAGE), [EMULATOR_CLOCK_OFFSET.toLowerCase()]: '3600000' }
  expect(await post(MESSAGE, headers)).toMatchObject({ status: 200 })
  expect(offset()).toBe(ahead)
})
