import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openConnection } from '../../src/stores/sqlite/connection.ts'
import { MIGRATIONS } from '../../src/stores/sqlite/schema.ts'
import { manualTime } from '../emulator/support/time.ts'
import { ASHA, openWorld } from '../support/world.ts'

const DAY = 86_400_000

describe('upkeep', () => {
  it('F-33 F-59 prunes at start by the option, and a replay of what is forgotten is too old', async () => {
    let now = Date.now()
    await using world = await openWorld((bot) => bot.otherwise((ctx) => ctx.reply('hello')), {
      options: { clock: () => new Date(now), retention: { bytes: '1h', ids: '2d' } },
    })
    await world.emulator.customer(ASHA).says('hi')
    await world.until(async () => (await world.counts()).items['done'])
    await world.settled()
    const [told] = (await world.emulator.deliveries.list()) as { id: string }[]
    now += 3 * DAY
    await world.restart((bot) => bot.otherwise((ctx) => ctx.reply('hello')))
    await world.until(async () => Object.keys((await world.counts()).deliveries).length === 0)
    expect(await world.counts()).toEqual({ deliveries: {}, items: {}, sends: {} })
    await world.control('POST', `deliveries/${told?.id}/redeliver`, { exact: true })
    expect((await world.counts()).deliveries).toEqual({})
    expect(await world.replies()).toEqual(['hello'])
  })

  it('F-57 says once that a newer release took the file over, stores what comes, and handles nothing of it', async () => {
    await using world = await openWorld((bot) => bot.otherwise((ctx) => ctx.reply('hello')))
    const other = openConnection(world.database)
    other.raw.pragma(`user_version = ${MIGRATIONS.length + 1}`)
    await world.emulator.customer(ASHA).says('one')
    await world.emulator.customer(ASHA).says('two')
    await world.until(async () => (await world.counts()).deliveries['stored'] === 2)
    const told = () => world.lines.filter(({ message }) => message?.includes('a newer release has migrated'))
    await world.until(() => told().length > 0)
    await world.bot.stop()
    expect(told()).toMatchObject([{ level: 'error', about: { schema: MIGRATIONS.length + 1 } }])
    expect(await world.counts()).toEqual({ deliveries: { stored: 2 }, items: {}, sends: {} })
    other.raw.pragma(`user_version = ${MIGRATIONS.length}`)
    other.close()
  })

  it.each(['asked', 'noticed'] as const)(
    'starts a database from a backup (%s) with its sends held, and says what to do',
    async (how) => {
      const time = manualTime(new Date().toISOString())
      await using world = await openWorld((bot) => bot.otherwise(() => {}), {
        options: { clock: time.wall },
        internals: { timers: time.timers },
      })
      await world.control('PUT', 'faults', { rules: [{ on: 'send', do: 'status', status: 503, every: 1 }] })
      await world.bot.to(ASHA).send('hello', { key: 'k', wait: 'stored' } as never).catch(() => {})
      await world.bot.stop({ drain: 0 })
      expect(Object.keys((await world.counts()).sends)).toHaveLength(1)
    },
  )
})

void copyFileSync
void join
