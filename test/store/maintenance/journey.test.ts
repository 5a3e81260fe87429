import { copyFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Duration } from '../../../src/base/duration.ts'
import { assemble, type Bot } from '../../../src/bot/bot.ts'
import { send } from '../samples.ts'
import { placeOnDisk, read } from '../sqlite-backend.ts'
import { ASHA, openWorld } from '../../support/world.ts'

const DAY = 86_400_000
const MINUTE = 60_000

describe('maintenance', () => {
  it('prunes at start by the option, and a replay of a forgotten delivery is too old [F-33, F-59]', async () => {
    let now = Date.now()
    await using world = await openWorld((bot) => bot.otherwise((ctx) => ctx.reply('hello')), {
      options: { clock: () => new Date(now), retention: { bytes: '1h', ids: '2d' } },
    })
    await world.emulator.customer(ASHA).says('hi')
    await world.until(async () => (await world.counts()).items['done'])
    await world.settled()
    const [told] = await world.emulator.deliveries.list()
    now += 3 * DAY
    await world.restart((bot) => bot.otherwise((ctx) => ctx.reply('hello')))
    await world.until(async () => Object.keys((await world.counts()).deliveries).length === 0)
    expect(await world.counts()).toEqual({ deliveries: {}, items: {}, sends: {} })
    await world.control('POST', `deliveries/${told?.id}/redeliver`, { exact: true })
    expect((await world.counts()).deliveries).toEqual({})
    expect(await world.replies()).toEqual(['hello'])
  })

  it('prunes at a start with a shorter retention, though a pruning ran within the hour: so a full disk gets room [F-59]', async () => {
    let now = Date.now()
    const options = {
      clock: () => new Date(now),
      retention: { bytes: '7d', ids: '30d' } as { bytes: Duration; ids: Duration },
    }
    const routes = (bot: Bot) => bot.otherwise(() => {})
    await using world = await openWorld(routes, { options })
    await world.emulator.customer(ASHA).says('hi')
    await world.until(async () => (await world.counts()).items['done'])
    now += 20 * MINUTE
    options.retention = { bytes: '10m', ids: '15m' }
    await world.restart(routes)
    await world.until(async () => Object.keys((await world.counts()).deliveries).length === 0)
  })

  it('starts a database from a backup with its sends held, and logs at each start what to do', async () => {
    const place = placeOnDisk()
    onTestFinished(() => place.remove())
    const before = await place.open()
    await before.openSend(send())
    await before.close()
    copyFileSync(place.file, `${place.file}.backup`)
    expect(await startAndStop(place.file, { restored: false })).toEqual([])
    copyFileSync(`${place.file}.backup`, place.file)
    for (const [restored, why] of [
      [false, 'it is older than its .generation file, so it was restored from a backup'],
      [false, 'it was restored from a backup earlier, and its sends are not released yet'],
      [true, 'the start option says that it was restored from a backup'],
    ] as const) {
      const message = expect.stringContaining('release them with `switchhook outbox resume`')
      expect(await startAndStop(place.file, { restored })).toEqual([{ about: { held: 1, why }, message }])
    }
    expect(read(place.file, 'SELECT state, code, attempts FROM sends')).toMatchObject([
      { state: 'held', code: 'restored', attempts: 0 },
    ])
  })
})

/** Starts a bot that could send, and stops it; gives its warnings. */
async function startAndStop(database: string, o: { restored: boolean }) {
  const lines: { about: unknown; message: string | undefined }[] = []
  const warn = (about: unknown, message?: string) => void lines.push({ about, message })
  const logger = { debug: () => {}, info: () => {}, warn, error: warn }
  const api = { baseUrl: 'http://127.0.0.1:9', accessToken: 't', signingSecret: 's' }
  const bot = assemble({ ...api, database, logger, fetch: silence }, { environment: {} })
  await bot.start(o)
  await bot.stop({ drain: 0 })
  return lines
}

/** A service that never answers, so that an attempt to send stays open. */
const silence = () => new Promise<never>(() => {})
