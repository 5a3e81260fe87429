import { describe, expect, it } from 'vitest'
import { type AnnouncedRecipient, type Announcement, text as plainText, template } from '../../src/bot/switchhook.ts'
import { says } from '../support/turn.ts'
import { ASHA, JUMA, openWorld, type World } from '../support/virtual-world.ts'

const routes: Parameters<typeof openWorld>[0] = (bot) => void bot.otherwise(() => {})
const NEWS = template('news', 'en')

async function open(o?: Parameters<typeof openWorld>[1]): Promise<World> {
  const world = await openWorld(routes, o)
  await world.emulator.templates.add({ name: 'news', language: 'en', body: 'News' })
  return world
}

const failedOf = async (job: Announcement) => {
  const failed: AnnouncedRecipient[] = []
  for await (const one of job.recipients({ state: 'failed' })) failed.push(one)
  return failed
}

const people = (count: number) => Array.from({ length: count }, (_, index) => String(255_712_000_200 + index))

describe('an announcement', () => {
  it('reaches each recipient once, however often one is named and however they are written', async () => {
    await using world = await open()
    const job = await world.bot.announce('sale', [ASHA, `+${ASHA}`, JUMA], NEWS)
    await world.pass('5s')
    expect(await job.progress()).toEqual({
      total: 2,
      waiting: 0,
      doubtful: 0,
      sent: 0,
      delivered: 2,
      read: 0,
      failed: 0,
      skipped: 0,
      unknown: 0,
      state: 'done',
      reason: undefined,
      endsAbout: undefined,
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
    expect(await job.progress()).toMatchObject({ total: 4, delivered: 1, skipped: 3, state: 'done' })
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

  it('counts a refusal of one and a recipient who is no phone number as failed, and lists both', async () => {
    await using world = await open()
    await says(world, 'hello')
    const job = await world.bot.announce('sale', [ASHA, JUMA, 'nobody'], 'Only in the window')
    await world.pass('5s')
    expect(await job.progress()).toMatchObject({ total: 3, delivered: 1, failed: 2, state: 'done' })
    const failed = await failedOf(job)
    expect(failed).toMatchObject([
      { to: JUMA, reason: 'outside_window' },
      { to: 'nobody', reason: expect.stringContaining('letters') },
    ])
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
      const { sent, delivered } = await job.progress()
      void world.pass('200ms').catch(() => {})
      await world.until(async () => (await messages()).filter((count) => count > 0).length > sent + delivered)
      await world.crash(routes)
      job = await world.bot.announce('sale', [], NEWS)
    }
    await world.pass('1m')
    expect(await messages()).toEqual(all.map(() => 1))
    expect(await job.progress()).toMatchObject({ total: 40, delivered: 40, state: 'done' })
  })

  it('waits after a crash for the function that makes its content, and then continues', async () => {
    await using world = await open()
    const content = (customer: string) => template('news', 'en', customer === ASHA ? {} : {})
    await world.bot.announce('sale', people(20), content, { perMinute: 60 })
    await world.pass('5s')
    await world.crash(routes)
    await world.pass('10m')
    const job = await world.bot.announce('sale', people(20), content, { perMinute: 60 })
    const { delivered } = await job.progress()
    expect(delivered).toBeLessThan(10)
    await world.pass('1m')
    expect(await job.progress()).toMatchObject({ total: 20, delivered: 20, state: 'done' })
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
    expect(await job.progress()).toMatchObject({ state: 'done', delivered: 2, reason: undefined })
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
    expect(await job.progress()).toMatchObject({ delivered: 90, state: 'done' })
    expect((await world.counts()).sends).toEqual({ accepted: 90 })
  })

  it('refuses other content under its key, wrong options, and content that cannot be sent', async () => {
    await using world = await open()
    await world.bot.announce('sale', [], NEWS)
    await expect(world.bot.announce('sale', [ASHA], 'Other')).rejects.toMatchObject({ code: 'diverged' })
    for (const wrong of [{ perMinute: 0 }, { perMinute: '9' }, { at: 'soon' }, { outsideWindow: 'x' }, { speed: 1 }])
      await expect(world.bot.announce('b', [], NEWS, wrong as never)).rejects.toMatchObject({ code: 'options_invalid' })
    await expect(world.bot.announce('b', [[]] as never, NEWS)).rejects.toMatchObject({ code: 'options_invalid' })
    await expect(world.bot.announce('c', [], plainText('x'.repeat(5_000)))).rejects.toMatchObject({
      code: 'content_invalid',
    })
  })
})

describe('an announcement that meets errors', () => {
  const fault = (code: string) => ({ on: 'send' as const, do: 'status' as const, code: code as 'send_failed' })
  const STATUS: Readonly<Record<string, number>> = {
    template_not_found: 422,
    validation_error: 422,
    invalid_template: 400,
    send_failed: 502,
    plan_limit_reached: 402,
  }

  it('is paused with the reason when the platform pauses its template, and everybody gets it once it is approved again', async () => {
    await using world = await open()
    const [template_] = ((await world.control('GET', 'templates')) as { items: { id: string }[] }).items
    const job = await world.bot.announce('sale', people(100), NEWS, { perMinute: 600 })
    await world.pass('3s')
    const before = await job.progress()
    await world.control('PATCH', `templates/${template_?.id}`, { status: 'PAUSED' })
    await world.pass('1m')
    const paused = await job.progress()
    expect(paused).toMatchObject({ state: 'paused', failed: 0, doubtful: 0, reason: expect.stringContaining('paused') })
    expect(paused.waiting).toBe(100 - paused.delivered)
    expect(paused.delivered).toBeGreaterThanOrEqual(before.delivered)
    await job.resume()
    await world.pass('1m')
    expect(await job.progress()).toMatchObject({ state: 'paused', failed: 0, waiting: paused.waiting })
    await world.control('PATCH', `templates/${template_?.id}`, { status: 'APPROVED' })
    await world.pass('11m')
    await job.resume()
    await world.pass('1m')
    expect(await job.progress()).toMatchObject({ state: 'done', delivered: 100, failed: 0 })
    expect((await Promise.all(people(100).map((to) => world.replies(to)))).map((got) => got.length)).toEqual(
      people(100).map(() => 1),
    )
  })

  it.each(Object.keys(STATUS))('burns nobody in eight seconds of %s', async (code) => {
    await using world = await open()
    const job = await world.bot.announce('sale', people(60), NEWS, { perMinute: 240 })
    await world.pass('2s')
    await world.emulator.faults.set([{ ...fault(code), status: STATUS[code] }])
    await world.pass('8s')
    await world.emulator.faults.set([])
    await world.pass('30s')
    const { failed, state } = await job.progress()
    expect({ failed, state }).toEqual({ failed: 0, state: 'paused' })
    await job.resume()
    await world.pass('2m')
    expect(await job.progress()).toMatchObject({ state: 'done', delivered: 60, failed: 0 })
  })

  it('counts one of ten whose content cannot be made as failed, with the reason, and sends to the others', async () => {
    await using world = await open()
    const ten = people(10)
    const job = await world.bot.announce('sale', ten, (to) => {
      if (to === ten[4]) throw new Error(`no name for ${to}`)
      return to === ten[6] ? ' ' : NEWS
    })
    await world.pass('1m')
    expect(await job.progress()).toMatchObject({ state: 'done', delivered: 8, failed: 2 })
    const failed = await failedOf(job)
    expect(failed.map(({ to }) => to)).toEqual([ten[4], ten[6]])
    expect(failed[0]?.detail).toContain('threw')
  })

  it('sends again to those who were refused, under the same key, and to nobody who has it', async () => {
    await using world = await open()
    const ten = people(10)
    await world.emulator.faults.set([{ ...fault('validation_error'), status: 422, to: ten[3] }])
    const job = await world.bot.announce('sale', ten, NEWS)
    await world.pass('1m')
    expect(await job.progress()).toMatchObject({ state: 'done', delivered: 9, failed: 1 })
    await world.emulator.faults.set([])
    expect(await job.retry({ reasons: ['template_not_found'] })).toBe(0)
    expect(await job.retry()).toBe(1)
    await world.pass('1m')
    expect(await job.progress()).toMatchObject({ state: 'done', delivered: 10, failed: 0 })
    expect((await Promise.all(ten.map((to) => world.replies(to)))).map((got) => got.length)).toEqual(ten.map(() => 1))
  })

  it('continues at a slower pace through answers of 429, without a pause and without a failure', async () => {
    await using world = await open()
    await world.emulator.faults.set([{ ...fault('rate_limited'), status: 429, next: 5 }])
    const job = await world.bot.announce('sale', people(30), NEWS, { perMinute: 600 })
    await world.pass('10m')
    const lines = world.lines.map(({ message }) => message)
    expect(lines).toContainEqual(expect.stringContaining('this number does not send until the given time'))
    expect(lines).not.toContainEqual(expect.stringContaining('paused'))
    expect(await job.progress()).toMatchObject({ state: 'done', delivered: 30, failed: 0 })
  })

  it('reports what was read and what failed after an acceptance, and sends that again only if asked for', async () => {
    await using world = await open()
    const [asha, juma] = people(2) as [string, string]
    for (const to of [asha, juma]) await world.control('PUT', `customers/${to}/handset`, { online: false })
    const job = await world.bot.announce('sale', [asha, juma], NEWS)
    await world.pass('30s')
    expect(await job.progress()).toMatchObject({ state: 'done', sent: 2 })
    await world.control('PUT', `customers/${juma}/handset`, { online: true })
    await world.control('POST', `customers/${juma}/statuses`, { status: 'read' })
    await world.control('POST', `customers/${asha}/statuses`, { status: 'failed' })
    await world.pass('5s')
    expect(await job.progress()).toMatchObject({ state: 'done', sent: 0, read: 1, failed: 1 })
    expect(await failedOf(job)).toMatchObject([{ to: asha, state: 'failed' }])
    expect(await job.retry()).toBe(0)
    expect(await job.retry({ failedLater: true })).toBe(1)
    await world.pass('30s')
    expect([(await world.replies(asha)).length, (await world.replies(juma)).length]).toEqual([2, 1])
    await world.control('POST', `customers/${asha}/statuses`, { status: 'failed' })
    await world.pass('5s')
    expect(await job.retry({ failedLater: true })).toBe(0)
  })
})

describe('an announcement to rows', () => {
  it('fills the parameters of a template with the columns of each row', async () => {
    await using world = await open()
    await world.emulator.templates.add({ name: 'sale', language: 'en', body: 'Hello {{1}}, {{2}} off' })
    const rows = [
      { to: ASHA, name: 'Asha', percent: 20 },
      { to: Number(JUMA), name: '{Juma}', percent: '30' },
    ]
    const job = await world.bot.announce('sale', rows, template('sale', 'en', { body: ['{name}', '{percent} %'] }))
    await world.pass('10s')
    expect(await job.progress()).toMatchObject({ state: 'done', delivered: 2 })
    const thread = await world.thread(ASHA)
    expect(thread[0]?.template).toMatchObject({ body: ['Asha', '20 %'] })
    expect((await world.thread(JUMA))[0]?.template).toMatchObject({ body: ['{Juma}', '30 %'] })
  })

  it('continues after a crash without being asked, and leaves a brace where two are', async () => {
    await using world = await open()
    await says(world, 'hello')
    const row = { to: ASHA, name: 'Asha' }
    await world.bot.announce('sale', [row], 'Dear {name} {{x}}', { at: new Date(world.now() + 60_000) })
    await world.crash(routes)
    await world.pass('2m')
    expect(await world.replies()).toEqual(['Dear Asha {x}'])
  })

  it('finds a row without a value before anything goes out, and refuses a column that no row has', async () => {
    await using world = await open()
    const rows = [
      { to: ASHA, name: 'Asha' },
      { to: JUMA, name: ' ' },
    ]
    const job = await world.bot.announce('sale', rows, 'Dear {name}', { paused: true })
    expect(await failedOf(job)).toMatchObject([{ to: JUMA, reason: expect.stringContaining('{name}') }])
    await expect(world.bot.announce('b', rows, 'Dear {nmae}')).rejects.toThrow('{nmae}')
    await expect(world.bot.announce('b', [], 'x')).resolves.toBeDefined()
  })

  it('waits with the option paused for a preview, a test to your own number, and then goes to everybody', async () => {
    await using world = await open()
    const rows = [{ to: ASHA, name: 'Asha' }]
    const job = await world.bot.announce('sale', rows, NEWS, { paused: true })
    await world.pass('1m')
    expect(await world.replies()).toEqual([])
    expect(await job.preview()).toEqual([{ to: ASHA, text: 'news (en)' }])
    await job.test(JUMA)
    expect(await world.replies(JUMA)).toHaveLength(1)
    expect(await job.progress()).toMatchObject({ state: 'paused', waiting: 1 })
    await job.resume()
    await world.pass('10s')
    expect(await job.progress()).toMatchObject({ state: 'done', delivered: 1 })
    expect(await job.add([{ to: JUMA, name: 'Juma' }, ...rows])).toBe(1)
    await world.pass('10s')
    expect(await job.progress()).toMatchObject({ state: 'done', delivered: 2, total: 2 })
  })

  it('goes out between two hours of a zone, by column', async () => {
    await using world = await open()
    // In UTC the hours begin in two minutes, and an hour east of it they have begun.
    const between = [clockAt(world.now() + 2 * 60_000), clockAt(world.now() + 12 * 3_600_000)] as const
    const rows = [
      { to: ASHA, zone: 'Etc/GMT-1' },
      { to: JUMA, zone: 'UTC' },
    ] as const
    const job = await world.bot.announce('sale', rows, NEWS, { between, zone: '{zone}' })
    await world.pass('20s')
    expect([(await world.replies()).length, (await world.replies(JUMA)).length]).toEqual([1, 0])
    await world.pass('3m')
    expect(await job.progress()).toMatchObject({ state: 'done', delivered: 2 })
    const [message] = (await world.thread(JUMA)) as unknown as readonly { at: string }[]
    expect(clockAt(Date.parse(message?.at ?? ''))).toBe(between[0])
    await expect(world.bot.announce('b', [], NEWS, { between: ['08:00', '20:00'] })).rejects.toThrow('zone')
    const wrong = { between: ['25:00', '20:00'], zone: 'UTC' } as const
    await expect(world.bot.announce('b', [], NEWS, wrong)).rejects.toThrow('between')
  })
})

/** Hours and minutes in UTC, as `between` has them. */
function clockAt(at: number): string {
  return new Date(at).toISOString().slice(11, 16)
}
