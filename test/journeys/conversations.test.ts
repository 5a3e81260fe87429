import { type Bot, buttons, type Chat, createBot, RetryIn, routes, type Sender, template } from 'switchhook'
import { scenario, type Scenario } from 'switchhook/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ASHA, JUMA } from '../support/people.ts'

const TEMPLATES = [{ name: 'appointment', language: 'sw', body: 'Miadi {{1}}' }]
const REMINDER = template('appointment', 'sw', { body: ['kesho'] })

type Options = Parameters<Bot['conversation']>[1]

/** A bot whose word `book` enters the script, and whose routes answer everything else with `route`. */
function bookingBot(script: (chat: Chat) => Promise<unknown>, options: Partial<Options> = {}, more = {}) {
  const bot = createBot(more) as Bot & Sender
  const booking = bot.conversation('booking', { version: 1, timeout: '5m', ...options }, script)
  bot.hears('book', (ctx) => ctx.enter(booking))
  bot.otherwise((ctx) => ctx.reply('route'))
  return { bot, booking }
}

const twoQuestions = async (chat: Chat) => {
  const day = await chat.ask('Day?')
  const pay = await chat.ask(buttons('Pay?', [{ id: 'cash', title: 'Cash' }]))
  await chat.say(`${day}, ${pay}`)
}

/** The messages on the phone, one a line. */
const talk = (s: Scenario, customer = ASHA) =>
  s.customer(customer).thread.map(({ from, text }) => `${from === 'customer' ? '>' : '<'} ${text}`)

describe('a conversation', () => {
  it('continues in another process, whenever the last one ended', async () => {
    await using s = await scenario(bookingBot(twoQuestions).bot)
    const asha = s.customer(ASHA)
    await asha.says('book')
    await s.crash()
    await asha.says('Monday')
    await s.crash()
    expect((await asha.taps('cash')).text).toBe('Monday, cash')
  })

  it('treats a double tap as one, even if the next question has an option with that id', async () => {
    const yesNo = [
      { id: 'yes', title: 'Yes' },
      { id: 'no', title: 'No' },
    ] as const
    let isSlow = true
    const { bot } = bookingBot(async (chat) => {
      await chat.ask(buttons('Book?', yesNo))
      await chat.once('book', () => {
        const retries = isSlow
        isSlow = false
        if (retries) throw new RetryIn('5s')
      })
      await chat.say(await chat.ask(buttons('And pay?', yesNo)))
    })
    await using s = await scenario(bot)
    const asha = s.customer(ASHA)
    await asha.says('book')
    await Promise.all([asha.taps('yes'), asha.taps('yes')])
    expect(talk(s).slice(2)).toEqual(['> Yes', '> Yes', '< And pay?', '< route'])
    expect((await asha.taps('yes')).text).toBe('yes')
  })

  it('runs another one as its own part, whose cancel ends the whole', async () => {
    const bot = createBot()
    const address = bot.conversation<{ who: string }>(
      'address',
      { version: 1, timeout: '1h', cancelWords: ['stop'] },
      async (chat, { who }) => void (await chat.ask(`Where does ${who} live?`)),
    )
    const order = bot.conversation(
      'order',
      { version: 1, timeout: '1h', cancelWords: ['never mind'], onEnd: (ctx, why) => ctx.reply(`order ${why}`) },
      async (chat) => {
        const who = await chat.ask('Who?')
        await chat.enter(address, { who })
        await chat.say('ordered')
      },
    )
    bot.hears('order', (ctx) => ctx.enter(order))
    await using s = await scenario(bot)
    const asha = s.customer(ASHA)
    await asha.says('order')
    await asha.says('Juma')
    expect((await asha.says('never mind')).text).toBe('ordered')
    await asha.says('order')
    expect((await asha.says('Juma')).text).toBe('Where does Juma live?')
    expect((await asha.says('stop')).text).toBe('order cancelled')
  })

  it('is entered with its input from outside, even for a customer who never wrote, by template', async () => {
    const bot = createBot()
    const survey = bot.conversation<{ about: string }>('survey', { version: 1, timeout: '2d' }, async (chat, input) => {
      const stars = await chat.ask(`How was ${input.about}?`, { outsideWindow: REMINDER })
      await chat.say(`${stars} for ${input.about}`)
    })
    bot.hears('ask Juma', (ctx) => ctx.to(JUMA).enter(survey, { about: 'the food' }))
    await using s = await scenario(bot, { templates: TEMPLATES })
    await bot.to(ASHA).enter(survey, { about: 'the visit' })
    expect((await s.advance('1s')).replies.map(({ kind, to }) => [kind, to])).toEqual([['template', ASHA]])
    expect((await s.customer(ASHA).says('5')).text).toBe('5 for the visit')
    await s.customer(ASHA).says('ask Juma')
    expect((await s.customer(JUMA).says('4')).text).toBe('4 for the food')
  })

  it('lets the layers in front of it run and withhold its answers', async () => {
    const heard: string[] = []
    const bot = createBot()
    bot.use(async (ctx, next) => {
      heard.push(String(ctx.message.text))
      if (ctx.message.text === 'STOP') await ctx.reply('stopped')
      else await next()
    })
    const vip = routes<typeof bot>()
    const c = vip.conversation('c', { version: 1, timeout: '1h' }, async (chat) => chat.say(await chat.ask('?')))
    bot.route((ctx) => ctx.message.text !== 'closed', vip)
    bot.hears('c', (ctx) => ctx.enter(c))
    bot.otherwise((ctx) => ctx.reply('route'))
    await using s = await scenario(bot)
    const asha = s.customer(ASHA)
    await asha.says('c')
    expect((await asha.says('STOP')).text).toBe('stopped')
    expect((await asha.says('closed')).text).toBe('route')
    expect((await asha.says('yes')).text).toBe('yes')
    expect(heard).toEqual(['c', 'STOP', 'closed', 'yes'])
  })

  it('leaves the customer to the person who took over, and continues afterwards', async () => {
    const { bot } = bookingBot(twoQuestions, { timeout: '1d' })
    await using s = await scenario(bot)
    const asha = s.customer(ASHA)
    await asha.says('book')
    await bot.to(ASHA).handOver({ for: '1h' })
    expect((await asha.says('a word to the person')).text).toBe('')
    await s.advance('2h')
    expect((await asha.says('Monday')).text).toBe('Pay?')
    expect((await asha.taps('cash')).text).toBe('Monday, cash')
  })
})

it('a script that fails is repeated like a handler, sends nothing twice, and the customer never notices', async () => {
  let failures = 2
  const { bot } = bookingBot(async (chat) => {
    await chat.ask('Day?')
    await chat.say('one moment')
    await chat.once('book', () => {
      if (failures-- > 0) throw new Error('no line')
    })
    await chat.say('booked')
  })
  await using s = await scenario(bot)
  await s.customer(ASHA).says('book')
  expect((await s.customer(ASHA).says('Monday')).text).toBe('one moment\nbooked')
  expect(failures).toBe(-1)
})

describe('a script that was changed by a deploy', () => {
  /** Enters with the old script, answers one question, and deploys the new one. */
  async function deployed(onChanged: 'restart' | 'end' | 'routes', onEnd = true) {
    const { bot, old } = changing(onChanged, onEnd)
    const s = await scenario(bot)
    await s.customer(ASHA).says('book')
    await s.customer(ASHA).says('Monday')
    old.over = true
    await s.crash()
    return s
  }

  function changing(onChanged: 'restart' | 'end' | 'routes', onEnd: boolean) {
    const old = { over: false }
    const script = async (chat: Chat) => {
      if (old.over) await chat.say(`name: ${await chat.ask('Name?', { as: z.string() })}`)
      else await twoQuestions(chat)
    }
    const { bot } = bookingBot(script, {
      onChanged,
      cancelWords: ['stop'],
      ...(onEnd && { onEnd: (ctx: { reply(text: string): unknown }, why: string) => ctx.reply(why) }),
    })
    return { bot, old }
  }

  it.each([
    ['restart', true, 'Name?', 'name: x'],
    ['end', true, 'changed', 'route'],
    ['end', false, 'route', 'route'],
    ['routes', true, 'route', 'route'],
  ] as const)('continues by onChanged %s (with onEnd: %s): %s', async (onChanged, onEnd, answer, next) => {
    await using s = await deployed(onChanged, onEnd)
    expect((await s.customer(ASHA).says('cash')).text).toBe(answer)
    expect((await s.customer(ASHA).says('x')).text).toBe(next)
  })
})
