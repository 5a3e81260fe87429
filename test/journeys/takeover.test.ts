import { describe, expect, it } from 'vitest'
import { type Bot, type BotOptions, createBot, RetryIn, routes, type Sender } from '../../src/bot/switchhook.ts'
import { scenario, type Scenario } from '../../src/kit/testing/testing.ts'
import { ASHA, JUMA, openWorld, type World } from '../support/virtual-world.ts'

/** A bot that answers each message with `re:` and its text. */
function answering(options: BotOptions = {}) {
  const bot = createBot(options) as Bot & Sender
  const heard: string[] = []
  const rested: (string | undefined)[] = []
  bot.observe({ rested: ({ event }) => void rested.push(event) })
  bot.otherwise((ctx) => {
    heard.push(String(ctx.message.text))
    return ctx.reply(`re: ${ctx.message.text}`)
  })
  return { bot, heard, rested }
}

const stored = async (world: World) => Object.values((await world.counts()).items).reduce((sum, n) => sum + n, 0)

const sent = (s: Scenario) => s.sent.map(({ text }) => text)

describe('a customer whom a person has', () => {
  it('is answered by no route: each message is counted as rested, and is in the history afterwards', async () => {
    const { bot, heard, rested } = answering()
    const said: unknown[] = []
    bot.hears('history', async (ctx) => void said.push(...(await ctx.history()).map(({ text }) => text)))
    await using s = await scenario(bot)
    const asha = s.customer(ASHA)
    await asha.says('one')
    await bot.to(ASHA).handOver({ for: '1h' })
    await asha.says('two')
    await asha.says('three')
    await s.advance('1h')
    await asha.says('history')
    expect(heard).toEqual(['one'])
    expect(rested).toEqual(['message.received', 'message.received'])
    expect(said).toEqual(['one', 're: one', 'two', 'three', 'history'])
  })

  it('is not answered afterwards for what waited for its turn meanwhile', async () => {
    const gate = Promise.withResolvers<void>()
    const heard: (string | undefined)[] = []
    await using world = await openWorld((bot) => {
      bot.hears('slow', () => gate.promise)
      bot.otherwise((ctx) => void heard.push(ctx.message.text))
    })
    const asha = world.emulator.customer(ASHA)
    await asha.says('slow')
    await world.until(async () => (await world.counts()).items['running'] === 1)
    await world.bot.to(ASHA).handOver({ for: '8h' })
    await asha.says('to the person')
    await world.until(async () => (await stored(world)) === 2)
    await world.emulator.clock.advance('1h')
    // By another customer's message the bot learns the time.
    await world.emulator.customer(JUMA).says('slow')
    await world.until(async () => (await stored(world)) === 3)
    await world.bot.to(ASHA).resume()
    await asha.says('to the bot')
    await world.until(async () => (await stored(world)) === 4)
    gate.resolve()
    await world.settled()
    expect(heard).toEqual(['to the bot'])
    expect((await world.counts()).items).toEqual({ done: 3, rested: 1 })
  })

  it('returns by a route for that time, which runs then alone, and knows who has them', async () => {
    const { bot } = answering()
    const seen: unknown[] = []
    bot.whileTakenOver((b) =>
      b.hears('back', async (ctx) => {
        seen.push(ctx.takenOver)
        await ctx.resume()
        await ctx.reply('Here I am.')
      }),
    )
    bot.hears('person', async (ctx) => {
      seen.push(ctx.takenOver)
      await ctx.reply('Somebody will write.')
      await ctx.handOver({ for: '8h' })
    })
    await using s = await scenario(bot)
    const asha = s.customer(ASHA)
    expect((await asha.says('back')).text).toBe('re: back')
    expect((await asha.says('person')).text).toBe('Somebody will write.')
    const since = s.now()
    await s.advance('1h')
    expect((await asha.says('person')).text).toBe('')
    expect((await asha.says('back')).text).toBe('Here I am.')
    expect((await asha.says('hello')).text).toBe('re: hello')
    const [before, during] = seen as [undefined, { by: string; since: Date; until: Date }]
    expect(before).toBeUndefined()
    expect(during.by).toBe('person')
    expect([during.since, during.until].map((at) => Math.round((+at - +since) / 60_000))).toEqual([0, 8 * 60])
  })

  it('returns by the same route in a retry, although its first attempt has already ended the take-over [F-47]', async () => {
    const { bot, heard } = answering()
    let runs = 0
    bot.whileTakenOver((b) =>
      b.hears('back', async (ctx) => {
        await ctx.resume()
        if (++runs === 1) throw new Error('the database of the app was away')
        await ctx.reply('Here I am.')
      }),
    )
    await using s = await scenario(bot)
    const asha = s.customer(ASHA)
    await bot.to(ASHA).handOver({ for: '8h' })
    expect((await asha.says('back')).text).toBe('Here I am.')
    expect([runs, heard]).toEqual([2, []])
  })

  it('gets the app’s own notifications, and what runs before the window closes only at the end', async () => {
    const { bot } = answering()
    bot.onWindowClosing('20h', (ctx) => ctx.reply('closing'))
    await using s = await scenario(bot)
    await s.customer(ASHA).says('hello')
    await bot.to(ASHA).handOver({ for: '8h' })
    await bot.to(ASHA).send('ready', { key: 'ready', at: '1h' })
    expect((await s.advance('7h')).text).toBe('ready')
    expect((await s.advance('1h')).text).toBe('closing')
  })

  it('has the handler that handed over run to its end, if it fails after that', async () => {
    const { bot, rested } = answering()
    let tickets = 0
    bot.hears('person', async (ctx) => {
      await ctx.reply('Somebody will write.')
      await ctx.handOver({ for: '8h' })
      if (ctx.attempt === 1) throw new RetryIn('1m')
      tickets++
    })
    await using s = await scenario(bot)
    await s.customer(ASHA).says('person')
    await s.advance('2m')
    expect([tickets, rested]).toEqual([1, []])
    expect(sent(s)).toEqual(['Somebody will write.'])
  })

  it('is handled as ever with takenOver: "run", and replies are skipped', async () => {
    const { bot, heard, rested } = answering({ takenOver: 'run' })
    bot.whileTakenOver((b) => b.hears('back', (ctx) => ctx.resume()))
    await using s = await scenario(bot)
    const asha = s.customer(ASHA)
    await bot.to(ASHA).handOver({ for: '8h' })
    for (const text of ['one', 'back', 'two', 'back']) await asha.says(text)
    expect(heard).toEqual(['one', 'two', 'back'])
    expect(rested).toEqual([])
    expect(sent(s)).toEqual(['re: two', 're: back'])
  })
})

describe('a customer whom the service’s agent has', () => {
  it('is left to it by BOT, whose own route runs without a reply [B GEN-07]', async () => {
    const { bot, heard, rested } = answering()
    const seen: (string | undefined)[] = []
    bot.hears('bot', async (ctx) => void seen.push(ctx.takenOver?.by, (await ctx.reply('no')).via))
    await using s = await scenario(bot)
    const asha = s.customer(ASHA)
    for (const text of ['BOT', 'hello', 'bot']) await asha.says(text)
    expect(seen).toEqual(['agent', 'skipped', 'agent', 'skipped'])
    expect([heard, rested]).toEqual([[], ['message.received']])
    await s.advance('24h')
    expect((await asha.says('again')).text).toBe('re: again')
  })

  it('does not answer an open question by BOT [B GEN-07]', async () => {
    const { bot } = answering()
    const c = bot.conversation('c', { version: 1, timeout: '2d' }, async (chat) => chat.say(await chat.ask('Name?')))
    bot.hears('start', (ctx) => ctx.enter(c))
    await using s = await scenario(bot)
    const asha = s.customer(ASHA)
    for (const text of ['start', 'BOT']) await asha.says(text)
    await bot.to(ASHA).resume()
    expect((await asha.says('Asha')).text).toBe('Asha')
  })
})

describe('whileTakenOver', () => {
  it('has routes of another module, which do not run at other times', async () => {
    const { bot } = answering()
    const back = routes<Bot>()
    back.hears('menu', (ctx) => ctx.resume())
    bot.whileTakenOver((b) => b.use(back))
    await using s = await scenario(bot)
    const asha = s.customer(ASHA)
    expect((await asha.says('menu')).text).toBe('re: menu')
    await bot.to(ASHA).handOver({ for: '8h' })
    expect((await asha.says('menu')).text).toBe('')
    expect((await asha.says('hello')).text).toBe('re: hello')
  })

  const bot = () => createBot() as Bot & Sender
  it.each<[string, (b: Bot & Sender) => unknown]>([
    ['an event', (b) => b.whileTakenOver((inner) => inner.on('message.sent', () => {}))],
    ['a window', (b) => b.whileTakenOver((inner) => inner.onWindowClosing('1h', () => {}))],
    ['a failed send', (b) => b.whileTakenOver((inner) => inner.onSendFailed(() => {}))],
    [
      'a conversation',
      (b) => b.whileTakenOver((inner) => inner.conversation('c', { version: 1, timeout: '1h' }, async () => {})),
    ],
  ])('refuses %s, which would not be handled otherwise than at other times', async (_what, register) => {
    const one = bot()
    register(one)
    await expect(scenario(one)).rejects.toMatchObject({
      code: 'options_invalid',
      message: expect.stringContaining('whileTakenOver()'),
    })
  })
})
