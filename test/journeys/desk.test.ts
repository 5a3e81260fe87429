import { describe, expect, it } from 'vitest'
import { type Bot, type BotOptions, buttons, type Sender } from '../../src/bot/switchhook.ts'
import { optOuts, quietWhilePeopleWrite } from '../../src/features/comfort/comfort.ts'
import { BARAKA, NEEMA, openDesk } from '../support/desk-client.ts'
import { happens, says } from '../support/turn.ts'
import { ASHA, JUMA, openWorld } from '../support/virtual-world.ts'

const COLLEAGUES = [NEEMA, BARAKA]

/** A bot that repeats what it hears, hands over to a person, and takes requests outside opening hours. */
async function openClinic(more: (bot: Bot & Sender) => void = () => {}, options: BotOptions = {}) {
  const heard: string[][] = []
  const routes = (bot: Bot & Sender) => {
    bot.hears('person', async (ctx) => {
      await ctx.reply('Somebody will answer you here.')
      await ctx.handOver({ for: '4h' })
    })
    bot.hears('tomorrow', async (ctx) => {
      await ctx.askForPerson()
      await ctx.reply('Somebody will answer you in the morning.')
    })
    more(bot)
    bot.otherwise(async (ctx) => {
      heard.push(ctx.messages.map(({ text = '' }) => text))
      await ctx.reply(`re: ${ctx.message.text}`)
    })
  }
  const world = await openWorld(routes, { options })
  const at = () => openDesk(world.bot, COLLEAGUES)
  return Object.assign(world, { heard, at, routes })
}

describe('the queue of the desk', () => {
  it('keeps who was handed over and not answered, whatever ends: the take-over, the process, the day', async () => {
    await using world = await openClinic()
    await says(world, 'person')
    await says(world, 'my child has fever')
    await world.pass('5h')
    const row = async () => (await world.at().as(NEEMA).queue()).rows[0]
    expect(await row()).toMatchObject({ phone: ASHA, state: 'waiting', bot: 'answers', why: 'handed_over', unread: 2 })
    expect((await row())?.last).toMatchObject({ by: 'customer', text: 'my child has fever' })
    await world.crash(world.routes)
    await world.pass('60d')
    expect(await row()).toMatchObject({ state: 'waiting', phone: ASHA })
    expect((await row())?.last?.text).toBeUndefined()
  })

  it('shows what a customer who waits wants, and not the bot’s confirmation behind it', async () => {
    await using world = await openClinic((bot) => bot.hears('fever', (ctx) => ctx.askForPerson()))
    await says(world, 'fever')
    await world.pass('5s')
    await world.bot.to(ASHA).send('Somebody will answer you.', { key: 'a-confirmation' })
    await world.pass('5s')
    const desk = world.at().as(NEEMA)
    const row = await desk.find(ASHA)
    expect(row.last).toMatchObject({ by: 'customer', text: 'fever' })
    await desk.write(row.customer, 'an-answer', 'Come at five.')
    await world.pass('5s')
    expect((await desk.find(ASHA)).last).toMatchObject({ by: 'person', text: 'Come at five.' })
  })

  it('has a customer who asked outside opening hours wait, while the bot continues, and once for a handler that runs again', async () => {
    let runs = 0
    await using world = await openClinic((bot) =>
      bot.hears('now', async (ctx) => {
        await ctx.askForPerson()
        if (runs++ === 0) throw new Error('a first attempt that fails')
        await ctx.reply('Noted.')
      }),
    )
    await says(world, 'tomorrow')
    await says(world, 'hello', JUMA)
    await says(world, 'now', JUMA)
    await says(world, 'thanks', JUMA)
    const desk = world.at().as(NEEMA)
    expect((await desk.queue()).rows).toMatchObject([
      { phone: ASHA, why: 'asked', bot: 'answers' },
      { phone: JUMA, why: 'asked', unread: 2 },
    ])
    expect((await desk.queue()).counts).toEqual({ waiting: 2, mine: 0 })
    expect(await world.replies(JUMA)).toEqual(['re: hello', 'Noted.', 're: thanks'])
  })

  it.each(['rest', 'run'] as const)(
    'has a customer wait who writes while a person has them, unless a route for that time answers (%s)',
    async (takenOver) => {
      await using world = await openClinic(
        (bot) => void bot.whileTakenOver((b) => b.hears('address', (ctx) => ctx.log.info({}, 'told elsewhere'))),
        { takenOver },
      )
      await says(world, 'hello')
      const desk = world.at().as(NEEMA)
      const { customer } = await desk.find(ASHA)
      await desk.act({ act: 'take', customer })
      await says(world, 'address')
      expect(await desk.phones()).toEqual([])
      await says(world, 'is it ready?')
      expect(await desk.phones()).toEqual([ASHA])
    },
  )

  it('counts a message from elsewhere as an answer, and no request for the service’s agent as waiting', async () => {
    await using world = await openClinic((bot) => quietWhilePeopleWrite(bot, { for: '1h' }))
    await says(world, 'person')
    const desk = world.at().as(NEEMA)
    expect(await desk.phones()).toEqual([ASHA])
    await happens(world, 'message.sent', {
      event: 'message.sent',
      data: { id: 'msg_elsewhere', to: ASHA, text: 'Hello, the clinic here.' },
    })
    await world.pass('2m')
    expect(await desk.phones()).toEqual([])
    await says(world, 'BOT', JUMA)
    await says(world, 'who are you?', JUMA)
    expect(await desk.phones()).toEqual([])
  })

  it('brings back a customer whose answer failed later, with the time of before', async () => {
    await using world = await openClinic()
    await says(world, 'person')
    const desk = world.at().as(NEEMA)
    const [before] = (await desk.queue()).rows
    await world.pass('10m')
    await desk.write(before?.customer ?? '', 'an-answer', 'At five.')
    expect(await desk.phones()).toEqual([])
    const { messageId: id } = (await world.store().listSends({ limit: 1 })).sends[0] ?? {}
    await happens(world, 'message.status', { id, status: 'failed', timestamp: Math.floor(world.now() / 1000) })
    await world.pass('1m')
    const { rows } = await desk.queue()
    expect(rows).toMatchObject([{ phone: ASHA, since: before?.since, why: 'failed' }])
    const { lines } = await desk.visit(before?.customer ?? '')
    expect(lines.at(-1)).toMatchObject({ by: 'person', who: 'neema', text: 'At five.', state: 'failed' })
  })
})

describe('two people at the desk', () => {
  it('never answer over a message that they have not seen without the question, and repeat under one key freely', async () => {
    await using world = await openClinic()
    await says(world, 'person')
    const [neema, baraka] = COLLEAGUES.map((one) => world.at().as(one))
    if (!neema || !baraka) throw new Error('two people')
    const { customer } = await neema.find(ASHA)
    const { seen } = await neema.visit(customer)
    await says(world, 'Forget it, I am at another clinic')
    const answer = { act: 'write', customer, key: 'come-at-five', seen, text: 'Yes, come at five.' } as const
    expect(await neema.act(answer)).toMatchObject({ status: 409, body: { error: 'unseen' } })
    expect(await world.replies()).toEqual(['Somebody will answer you here.'])
    const again = { ...answer, seen: (await neema.visit(customer)).seen }
    expect((await neema.act({ ...again, text: 'Get well soon.' })).body).toMatchObject({ count: 1 })
    // A colleague who still reads the chat of before, and says no.
    const late = { ...again, key: 'he-is-away', text: 'No, he is away.' }
    expect(await baraka.act(late)).toMatchObject({ status: 409, body: { error: 'unseen' } })
    expect((await neema.act({ ...again, text: 'Get well soon.' })).body).toMatchObject({ count: 0 })
    expect(await baraka.act({ ...late, confirmed: true })).toMatchObject({ status: 200 })
    expect(await world.replies()).toEqual(['Somebody will answer you here.', 'Get well soon.', 'No, he is away.'])
  })

  it('leave nobody without an answer or a place in the queue if the process is killed while one of them sends', async () => {
    await using world = await openClinic()
    await says(world, 'person')
    const desk = () => world.at().as(NEEMA)
    const { customer } = await desk().find(ASHA)
    await world.emulator.faults.set([{ on: 'send', do: 'lose_answer', next: 1 }])
    const sending = desk().write(customer, 'an-answer', 'At five.')
    await world.until(async () => (await world.replies()).includes('At five.'))
    expect(await desk().phones()).toEqual([ASHA])
    await world.crash(world.routes)
    void sending
    await world.pass('2m')
    expect(await world.replies()).toEqual(['Somebody will answer you here.', 'At five.'])
    expect(await desk().phones()).toEqual([])
  })

  it('take a chat, pass it on with a note that no model reads, snooze and dismiss it', async () => {
    let history: readonly unknown[] = []
    await using world = await openClinic((bot) =>
      bot.hears('history', async (ctx) => void (history = await ctx.history())),
    )
    await says(world, 'person')
    const [neema, baraka] = [world.at().as(NEEMA), world.at().as(BARAKA)]
    const { customer } = await neema.find(ASHA)
    expect((await neema.act({ act: 'take', customer })).body.row).toMatchObject({ assignee: 'neema', bot: 'rests' })
    expect(await neema.phones('mine')).toEqual([ASHA])
    const passed = await neema.act({ act: 'pass', customer, to: 'baraka', note: 'She asks for a doctor.' })
    expect(passed.body.row.assignee).toBe('baraka')
    expect((await baraka.queue()).counts).toEqual({ waiting: 1, mine: 1 })
    const chat = await baraka.visit(customer)
    expect(chat.lines.at(-1)).toMatchObject({
      by: 'note',
      who: 'neema',
      text: 'She asks for a doctor.',
      passedTo: 'baraka',
    })
    await baraka.act({ act: 'snooze', customer, minutes: 30 })
    expect(await baraka.phones()).toEqual([])
    expect((await baraka.queue('open')).rows).toMatchObject([{ state: 'snoozed', until: expect.any(String) as string }])
    await world.pass('31m')
    expect(await baraka.phones()).toEqual([ASHA])
    expect(await baraka.act({ act: 'dismiss', customer, seen: { message: 0, send: 0 } })).toMatchObject({ status: 409 })
    expect((await baraka.act({ act: 'dismiss', customer, seen: chat.seen })).body).toMatchObject({ count: 1 })
    expect((await baraka.act({ act: 'dismiss', customer, seen: chat.seen })).body).toMatchObject({ count: 0 })
    expect((await baraka.act({ act: 'give_back', customer })).body.row).toMatchObject({
      bot: 'answers',
      state: 'dismissed',
    })
    await says(world, 'history')
    expect(JSON.stringify(history)).not.toContain('doctor')
    expect(await world.rows()).toContain('doctor')
    await world.bot.to(ASHA).forget()
    expect(await world.rows()).not.toContain('doctor')
  })
})

describe('what a person sends', () => {
  it('is a text, a file by its address, a template, or an answer that the app has prepared', async () => {
    await using world = await openClinic()
    await says(world, 'hello')
    const when = { name: 'when', text: 'When?', content: buttons('When?', [{ id: 'am', title: 'Morning' }]) }
    const hours = { name: 'hours', text: 'We are open from 9 to 17.' }
    const desk = openDesk(world.bot, COLLEAGUES, { snippets: [when, hours] }).as(NEEMA)
    expect((await desk.state()).snippets).toEqual([{ name: 'when', text: 'When?' }, hours])
    const { customer } = await desk.find(ASHA)
    const url = 'https://files.clinic.example/map.pdf'
    const media = { kind: 'document', url, name: 'map.pdf', caption: 'How to find us' } as const
    for (const [key, content] of Object.entries({
      'a-file-1': { text: undefined, media },
      'snippet-1': { text: undefined, snippet: 'when' },
      'snippet-2': { text: undefined, snippet: 'hours' },
    }))
      expect(await desk.write(customer, key, '', content)).toMatchObject({ status: 200, body: { count: 1 } })
    await world.pass('5s')
    const { lines } = await desk.visit(customer)
    expect(lines.slice(-3)).toMatchObject([
      { kind: 'document', text: 'How to find us', media: { url, name: 'map.pdf' }, who: 'neema', state: 'delivered' },
      { kind: 'interactive', text: 'When?', options: ['Morning'] },
      { kind: 'text', text: hours.text },
    ])
    await world.pass('25h')
    const late = await desk.write(customer, 'late-text', 'Are you there?')
    expect(late).toMatchObject({ status: 409, body: { error: 'window_closed' } })
    expect((await desk.visit(customer)).window).toMatchObject({ open: false })
  })

  it('is sent again as it was if it failed: with its buttons, once, to no other customer', async () => {
    await using world = await openClinic()
    for (const customer of [ASHA, JUMA]) await says(world, 'person', customer)
    const when = { name: 'when', text: 'When?', content: buttons('When?', [{ id: 'am', title: 'Morning' }]) }
    const desk = openDesk(world.bot, COLLEAGUES, { snippets: [when] }).as(NEEMA)
    const { customer } = await desk.find(ASHA)
    await world.emulator.faults.set([{ on: 'send', do: 'status', status: 422, code: 'validation_error', next: 1 }])
    const refused = await desk.write(customer, 'a-snippet', '', { text: undefined, snippet: 'when' })
    expect(refused).toMatchObject({ status: 409, body: { error: 'not_fitting' } })
    const failed = (await desk.visit(customer)).lines.at(-1)
    expect(failed).toMatchObject({ state: 'failed', whyNot: 'not_fitting', options: ['Morning'] })
    const again = { text: undefined, again: failed?.id ?? '' }
    const other = (await desk.find(JUMA)).customer
    for (const [whom, line] of [
      [other, failed?.id],
      [customer, 'm1'],
      [customer, 's0'],
    ] as const)
      expect(await desk.write(whom, 'a-theft-1', '', { text: undefined, again: line ?? '' })).toMatchObject({
        status: 404,
      })
    for (const count of [1, 0])
      expect(await desk.write(customer, 'once-more', '', again)).toMatchObject({ status: 200, body: { count } })
    await world.pass('5s')
    const sent = (await world.thread()).filter(({ text, refused: isRefused }) => text === 'When?' && !isRefused)
    expect(sent).toHaveLength(1)
    expect((await desk.visit(customer)).lines.at(-1)).toMatchObject({ options: ['Morning'], state: 'delivered' })
  })

  it('is refused with a code for each reason, for which the page has words', async () => {
    await using world = await openClinic()
    await says(world, 'person')
    const desk = openDesk(world.bot, COLLEAGUES, { colleagues: () => ['neema'] }).as(NEEMA)
    const { customer } = await desk.find(ASHA)
    const act = (asked: Parameters<typeof desk.act>[0]) => desk.act(asked)
    expect(await act({ act: 'pass', customer, to: 'baraka' })).toMatchObject({ body: { error: 'no_colleague' } })
    expect(await desk.write(customer, 'a-snippet', '', { text: undefined, snippet: 'gone' })).toMatchObject({
      body: { error: 'no_snippet' },
    })
    const chosen = { name: 'unknown', language: 'en' }
    expect(await desk.write(customer, 'template-1', '', { text: undefined, template: chosen })).toMatchObject({
      body: { error: 'no_template' },
    })
    expect(await desk.write(customer, 'a-text-1', 'Come at five.')).toMatchObject({ status: 200 })
    expect(await act({ act: 'snooze', customer, minutes: 30 })).toMatchObject({ body: { error: 'no_wait' } })
  })
})

describe('a customer who is given back', () => {
  it('is answered by the bot what waits, once, as a burst, without words that end marketing', async () => {
    const burst = { quiet: '2s' } as const
    await using world = await openClinic((bot) => optOuts(bot, { stopped: 'You are unsubscribed.' }), { burst })
    await says(world, 'hello')
    const desk = world.at().as(NEEMA)
    const { customer } = await desk.find(ASHA)
    await desk.act({ act: 'take', customer })
    await desk.write(customer, 'first-words', 'How can I help?')
    for (const text of ['a doctor', 'stop', 'on Monday']) await world.emulator.customer(ASHA).says(text)
    await world.pass('1m')
    expect(await desk.phones()).toEqual([ASHA])
    const give = () => desk.act({ act: 'give_back', customer, answer: 'waiting' })

    const counts = (await Promise.all([give(), give()])).map(({ body }) => body.count)
    expect(counts).toEqual(expect.arrayContaining([0, 2]))
    await world.settled()
    expect(world.heard).toEqual([['hello'], ['a doctor', 'on Monday']])
    expect((await world.replies()).at(-1)).toBe('re: on Monday')
    expect(await desk.phones()).toEqual([])
    expect((await give()).body.count).toBe(0)
    await world.settled()
    expect(world.heard).toHaveLength(2)
  })

  it('asks a script’s open question nothing, and waits again if no route takes what was given back', async () => {
    const answers: unknown[] = []
    await using world = await openWorld((bot) => {
      const visit = bot.conversation('visit', { version: 1, timeout: '2d' }, async (chat) => {
        answers.push(await chat.ask('Which day?'))
      })
      bot.hears('visit', (ctx) => ctx.enter(visit))
    })
    const desk = openDesk(world.bot, COLLEAGUES).as(NEEMA)
    await says(world, 'visit')
    const { customer } = await desk.find(ASHA)
    await desk.act({ act: 'take', customer })
    await says(world, 'my child has fever')
    expect((await desk.act({ act: 'give_back', customer, answer: 'waiting' })).body.count).toBe(1)
    await world.settled()
    expect(answers).toEqual([])
    expect((await desk.queue()).rows).toMatchObject([{ phone: ASHA, why: 'unread', bot: 'answers' }])
    await says(world, 'Monday')
    expect(answers).toEqual(['Monday'])
  })
})

describe('the stream of the desk', () => {
  it('tells of new messages, states and statuses within a second, in open chats too, and who has them open', async () => {
    await using world = await openClinic()
    await says(world, 'hello')
    const at = world.at()
    const [neema, baraka] = [at.as(NEEMA), at.as(BARAKA)]
    const stream = await neema.stream()
    const other = await baraka.stream()
    await world.pass('2s')
    expect(stream.of('hello')).toHaveLength(1)
    const { customer, id } = await neema.find(ASHA)
    await neema.visit(customer)
    await world.pass('2s')
    expect(other.of('present')).toContainEqual({ id, present: [{ who: 'neema', typing: false }] })
    await neema.post('presence', { customer, typing: true })
    expect(other.of('present').at(-1)).toEqual({ id, present: [{ who: 'neema', typing: true }] })
    await world.emulator.customer(ASHA).says('person')
    await world.pass('2s')
    expect(stream.of('rows').at(-1)).toMatchObject({ rows: [{ id, state: 'waiting' }], counts: { waiting: 1 } })
    expect(stream.of('chat').at(-1)?.lines.at(-1)).toMatchObject({ text: 'Somebody will answer you here.' })
    expect(other.of('chat')).toEqual([])
    await neema.write(customer, 'an-answer', 'At five.')
    await world.pass('2s')
    expect(stream.of('chat').at(-1)?.lines.at(-1)).toMatchObject({ text: 'At five.', state: 'delivered' })
    expect(other.of('rows').at(-1)).toMatchObject({ rows: [{ id, state: 'answered', endedBy: 'neema' }] })
    const before = stream.heard.length
    await world.pass('10s')
    expect(stream.heard).toHaveLength(before)
    await stream.close()
    await other.close()
  })

  it('tells of what happened between the reading of a page and the first look of the stream', async () => {
    await using world = await openClinic()
    const neema = world.at().as(NEEMA)
    const stream = await neema.stream()
    expect(await neema.phones()).toEqual([])
    await says(world, 'person')
    await world.pass('2s')
    expect(stream.of('rows').at(-1)).toMatchObject({ rows: [{ phone: ASHA, state: 'waiting' }] })
    await stream.close()
  })

  it('tells nobody of another number, of a row, a chat or who has it open', async () => {
    await using world = await openClinic()
    await says(world, 'hello')
    const branch = { name: 'zuri', write: true, reveal: true, numbers: ['branch'] }
    const at = openDesk(world.bot, [NEEMA, branch])
    const neema = at.as(NEEMA)
    const [mine, other] = [await neema.stream(), await at.as(branch).stream()]
    await world.pass('2s')
    await neema.visit((await neema.find(ASHA)).customer)
    await says(world, 'person')
    await world.pass('2s')
    expect(mine.of('rows')).not.toEqual([])
    expect(other.heard.map(([event]) => event)).toEqual(['hello'])
    for (const { close } of [mine, other]) await close()
  })

  it('asks authorize again every minute, and ends for who may no longer read', async () => {
    await using world = await openClinic()
    let may = true
    const page = openDesk(world.bot, [], { authorize: () => (may ? NEEMA : undefined) })
    const stream = await page.as(NEEMA).stream()
    await world.pass('61s')
    expect(stream.of('refresh')).toHaveLength(1)
    may = false
    await world.pass('61s')
    expect(stream.of('gone')).toHaveLength(1)
    await stream.ended
    expect((await page.as(NEEMA).fetched('api/stream')).status).toBe(401)
  })
})

it('the record of the desk has one reading for a visit, with the count and the span of the messages, and another for the next visit', async () => {
  await using world = await openClinic()
  await says(world, 'hello')
  const desk = world.at().as(NEEMA)
  const { customer } = await desk.find(ASHA)
  const reads = async () =>
    (await world.read("SELECT who, what, number, count FROM acts WHERE act = 'read' ORDER BY seq")).filter(
      ({ what }) => what !== 'the lists of the desk',
    )
  for (let nth = 0; nth < 3; nth++) await desk.visit(customer)
  expect(await reads()).toMatchObject([{ who: 'neema', number: 'default', count: 2 }])
  expect((await reads())[0]?.['what']).toMatch(/^customer …\d{3} on default, messages from \d{4}-.*Z to \d{4}-.*Z$/)
  await says(world, 'again')
  await desk.visit(customer)
  expect(await reads()).toMatchObject([{ count: 4 }])
  await desk.post('presence', { customer, left: true })
  await desk.visit(customer)
  expect(await reads()).toMatchObject([{ count: 4 }, { count: 4 }])
  expect(await world.rows()).not.toContain('nobody wrote this')
})
