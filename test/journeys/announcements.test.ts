import { describe, expect, it } from 'vitest'
import { text as plainText, template } from '../../src/bot/switchhook.ts'
import { says } from '../support/turn.ts'
import { ASHA, JUMA, openWorld, type World } from '../support/virtual-world.ts'

const routes: Parameters<typeof openWorld>[0] = (bot) => void bot.otherwise(() => {})
const NEWS = template('news', 'en')

async function open(o?: Parameters<typeof openWorld>[1]): Promise<World> {
  const world = await openWorld(routes, o)
  await world.emulator.templates.add({ name: 'news', language: 'en', body: 'News' })
  return world
}

const people = (count: number) => Array.from({ length: count }, (_, index) => String(255_712_000_200 + index))

describe('an announcement', () => {
  it('reaches each recipient once, however often one is named and however they are written', async () => {
    await using world = await open()
    const job = await world.bot.announce('sale', [ASHA, `+${ASHA}`, JUMA], NEWS)
    await world.pass('5s')
    expect(await job.progress()).toEqual({
      total: 2,
      sent: 2,
      failed: 0,
      skipped: { optedOut: 0, takenOver: 0 },
      waiting: 0,
      state: 'done',
      reason: undefined,
    })
    expect([(await world.replies()).length, (await world.replies(JUMA)).length]).toEqual([1, 1])
  })

  it('skips and counts who opted out, also since it began, and who is with a person', async () => {
    await using world = await open()
    await world.bot.to(ASHA).optOut({ how: 'message' })
    await world.bot.to(JUMA).handOver({ for: '1h' })
    const [third, fourth] = people(2) as [string, string]
    const job = await world.bot.announce('sale', [ASHA, JUMA, third, fourth], NEWS, { perMinute: 1 })
    await world.bot.to(fourth).optOut({ how: 'web form' })
    await world.pass('10m')
    expect(await job.progress()).toMatchObject({
      total: 4,
      sent: 1,
      skipped: { optedOut: 2, takenOver: 1 },
      state: 'done',
    })
    expect(await world.replies(third)).toHaveLength(1)
  })

  it('sends free text in an open window and else the template, without trying the text', async () => {
    await using world = await open()
    await says(world, 'hello')
    await world.bot.announce('sale', [ASHA, JUMA], 'News in words', { outsideWindow: NEWS })
    await world.pass('5s')
    expect(await world.replies()).toEqual(['News in words'])
    const thread = await world.thread(JUMA)
    expect(thread.map(({ kind, refused }) => [kind, refused])).toEqual([['template', undefined]])
  })

  it('counts a refusal and a recipient who is no phone number as failed', async () => {
    await using world = await open()
    const job = await world.bot.announce('sale', [ASHA, 'nobody'], 'Only in the window')
    await world.pass('5s')
    expect(await job.progress()).toMatchObject({ total: 2, sent: 0, failed: 2, state: 'done' })
  })

  it('continues after a crash without being asked, and sends nobody a second message', async () => {
    await using world = await open()
    const all = people(40)
    const messages = () => Promise.all(all.map(async (customer) => (await world.replies(customer)).length))
    let job = await world.bot.announce('sale', all, NEWS, { perMinute: 600 })
    for (let kill = 0; kill < 3; kill++) {
      await world.pass('900ms')
      // A message arrives, and the process dies before it knows.
      await world.emulator.faults.set([{ on: 'send', do: 'lose_answer', next: 1 }])
      const { sent } = await job.progress()
      void world.pass('200ms').catch(() => {})
      await world.until(async () => (await messages()).filter((count) => count > 0).length > sent)
      await world.crash(routes)
      job = await world.bot.announce('sale', [], NEWS)
    }
    await world.pass('1m')
    expect(await messages()).toEqual(all.map(() => 1))
    expect(await job.progress()).toMatchObject({ total: 40, sent: 40, state: 'done' })
  })

  it('waits after a crash for the function that makes its content, and then continues', async () => {
    await using world = await open()
    const content = (customer: string) => template('news', 'en', customer === ASHA ? {} : {})
    await world.bot.announce('sale', people(20), content, { perMinute: 60 })
    await world.pass('5s')
    await world.crash(routes)
    await world.pass('10m')
    const job = await world.bot.announce('sale', people(20), content, { perMinute: 60 })
    const { sent } = await job.progress()
    expect(sent).toBeLessThan(10)
    await world.pass('1m')
    expect(await job.progress()).toMatchObject({ total: 20, sent: 20, state: 'done' })
  })

  it('is paused by an error that concerns all, and continues when it is called again', async () => {
    await using world = await open()
    let breaks = true
    const content = () => {
      if (breaks) throw new Error('a bug')
      return NEWS
    }
    const job = await world.bot.announce('sale', [ASHA, JUMA], content)
    await world.pass('5s')
    expect(await job.progress()).toMatchObject({
      state: 'paused',
      waiting: 2,
      reason: expect.stringContaining('threw'),
    })
    breaks = false
    await world.bot.announce('sale', [ASHA, JUMA], content)
    await world.pass('5s')
    expect(await job.progress()).toMatchObject({ state: 'done', sent: 2, reason: undefined })
  })

  it('records few messages while the number cannot send, and cancels these with a pause', async () => {
    await using world = await open()
    await world.control('PUT', 'account', { plan: { api: false } })
    const job = await world.bot.announce('sale', people(90), NEWS, { perMinute: 60_000 })
    await world.pass('2m')
    expect(await job.progress()).toMatchObject({ sent: 0, waiting: 90, state: 'running' })
    expect((await world.counts()).sends).toEqual({ held: 64 })
    await job.pause()
    await world.pass('1m')
    expect((await world.counts()).sends).toEqual({ cancelled: 64 })
    await world.control('PUT', 'account', { plan: { api: true } })
    await world.store().resumeSends({ restored: false })
    await job.resume()
    await world.pass('2m')
    expect(await job.progress()).toMatchObject({ sent: 90, state: 'done' })
    expect((await world.counts()).sends).toEqual({ accepted: 90 })
  })

  it('refuses other content under its key, wrong options, and content that cannot be sent', async () => {
    await using world = await open()
    await world.bot.announce('sale', [], NEWS)
    await expect(world.bot.announce('sale', [ASHA], 'Other')).rejects.toMatchObject({ code: 'diverged' })
    for (const wrong of [{ perMinute: 0 }, { perMinute: '9' }, { at: 'soon' }, { outsideWindow: 'x' }, { speed: 1 }])
      await expect(world.bot.announce('b', [], NEWS, wrong as never)).rejects.toMatchObject({ code: 'options_invalid' })
    await expect(world.bot.announce('b', [7] as never, NEWS)).rejects.toMatchObject({ code: 'content_invalid' })
    await expect(world.bot.announce('c', [], plainText('x'.repeat(5_000)))).rejects.toMatchObject({
      code: 'content_invalid',
    })
  })
})
