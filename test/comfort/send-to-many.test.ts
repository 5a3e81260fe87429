import { afterEach, describe, expect, it, vi } from 'vitest'
import { sendToMany } from '../../src/comfort/index.ts'
import { type Sender, SwitchhookError, template } from '../../src/index.ts'
import { says } from '../support/turn.ts'
import { ASHA, JUMA, openWorld } from '../support/virtual-world.ts'

const ROWS = ['255712000101', '255712000102', '255712000103']
const about = { to: (row: string) => row, key: (row: string) => ['news', row], content: () => 'News' }

describe('a message to many', () => {
  afterEach(() => void vi.useRealTimers())

  /** A sender that only records the times of its calls, and returns given answers. */
  function senderThat(answers: (customer: string) => unknown) {
    const asked: { customer: string; at: number }[] = []
    const to = (customer: string) => ({
      async send() {
        asked.push({ customer, at: Date.now() })
        return answers(customer)
      },
    })
    return { asked, sender: { to } as unknown as Sender }
  }

  it('is sent no faster than the limit, and rows that were sent before take no time', async () => {
    vi.useFakeTimers({ now: 0 })
    const { asked, sender } = senderThat((customer) => ({ via: 'freeform', replayed: customer === ROWS[1] }))
    const done = sendToMany(sender, [...ROWS, 'last'], { ...about, perMinute: 6 })
    await vi.runAllTimersAsync()
    expect(await done).toMatchObject({ sent: 4, stopped: false })
    expect(asked.map(({ at }) => at)).toEqual([0, 10_000, 10_000, 20_000])
  })

  it('stops at once when it is aborted, and reports that', async () => {
    vi.useFakeTimers({ now: 0 })
    const stop = new AbortController()
    const { asked, sender } = senderThat(() => ({ via: 'freeform', replayed: false }))
    const done = sendToMany(sender, ROWS, { ...about, perMinute: 1, signal: stop.signal })
    await vi.advanceTimersByTimeAsync(59_999)
    stop.abort()
    expect(await done).toMatchObject({ sent: 1, stopped: true })
    expect(asked).toHaveLength(1)
  })

  it('counts a requested template as sent', async () => {
    const { sender } = senderThat(() => ({ via: 'template', replayed: true }))
    const content = () => template('news', 'en')
    expect(await sendToMany(sender, ROWS, { ...about, content, perMinute: 1 })).toMatchObject({ sent: 3, fellBack: 0 })
  })

  it('ends with an error that is not about a single row', async () => {
    const { sender } = senderThat(() => Promise.reject(new SwitchhookError('not_started', 'x')))
    await expect(sendToMany(sender, ROWS, { ...about, perMinute: 60 })).rejects.toMatchObject({ code: 'not_started' })
    await expect(sendToMany(sender, ROWS, { ...about, perMinute: 0 })).rejects.toMatchObject({
      code: 'options_invalid',
    })
  })

  it('is counted by its outcome, and a second run after a restart reaches nobody twice [R IDEM-01]', async () => {
    const routes = (bot: { otherwise(h: () => void): unknown }) => void bot.otherwise(() => {})
    await using world = await openWorld(routes)
    await world.emulator.templates.add({ name: 'news', language: 'en', body: 'News' })
    await says(world, 'hi')
    const o = { ...about, perMinute: 60_000, outsideWindow: () => template('news', 'en') }
    const report = { sent: 1, fellBack: 1, stored: 0, skipped: {}, refused: { content_invalid: 1 }, stopped: false }
    expect(await sendToMany(world.bot, [ASHA, JUMA, 'nobody'], o)).toEqual(report)
    await world.restart(routes)
    expect(await sendToMany(world.bot, [ASHA, JUMA, 'nobody'], o)).toEqual(report)
    expect([(await world.replies()).length, (await world.replies(JUMA)).length]).toEqual([1, 1])
  })
})
