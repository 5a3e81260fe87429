import { describe, expect, it } from 'vitest'
import { type Bot, type Chat, createBot, GiveUp, RetryIn, type Sender } from 'switchhook'
import { scenario, type Scenario } from 'switchhook/testing'
import { openWorld } from '../support/virtual-world.ts'
import { ASHA } from '../support/people.ts'

/** Registers a conversation that the word `book` enters, and a route for everything else. */
function register(bot: Bot & Sender, script: (chat: Chat) => Promise<unknown>) {
  const booking = bot.conversation(
    'booking',
    { version: 1, timeout: '1d', onEnd: (ctx, why) => ctx.reply(why) },
    script,
  )
  bot.hears('book', (ctx) => ctx.enter(booking))
  bot.otherwise((ctx) => ctx.reply('route'))
  return booking
}

/** The messages on the phone, one a line. */
const talk = (s: Scenario) =>
  s.customer(ASHA).thread.map(({ from, text }) => `${from === 'customer' ? '>' : '<'} ${text}`)

describe('an answer whose attempt fails', () => {
  it('is not overtaken by the next message, however long its back-off is [F-55]', async () => {
    let failures = 1
    const bot = createBot() as Bot & Sender
    register(bot, async (chat) => {
      const day = await chat.ask('Day?')
      const kept = await chat.once('kept', () => day)
      await chat.once('book', () => {
        if (failures-- > 0) throw new RetryIn('2m')
      })
      await chat.say(`${day}, kept ${kept}`)
      await chat.say(`by ${await chat.ask('Pay?')}`)
    })
    await using s = await scenario(bot)
    const asha = s.customer(ASHA)
    await asha.says('book')
    await Promise.all([asha.says('Monday'), asha.says('cash')])
    await s.advance('5m')
    expect(talk(s).slice(4)).toEqual(['< Monday, kept Monday', '< Pay?', '< by cash'])
  })

  it('ends the conversation as failed even if the script had reached the next question [F-55]', async () => {
    const bot = createBot() as Bot & Sender
    bot.use(async (ctx, next) => {
      await next()
      if (ctx.message.text === 'Monday') throw new GiveUp('a bug behind the script')
    })
    register(bot, async (chat) => {
      const day = await chat.ask('Day?')
      await chat.say(`${day} by ${await chat.ask('Pay?')}`)
    })
    await using s = await scenario(bot)
    const asha = s.customer(ASHA)
    await asha.says('book')
    await expect(asha.says('Monday')).rejects.toThrow('a bug behind the script')
    await asha.says('cash')
    expect(talk(s).slice(3)).toEqual(['< Pay?', '< failed', '> cash', '< route'])
  })
})

it.each([
  ['at an answer', async () => {}],
  ['when its sleep is over', (chat: Chat) => chat.sleep('10m')],
])(
  'a script that crashes its process each time ends as failed, and is not stuck: %s [F-55, F-65]',
  async (_when, wait) => {
    let kill = () => {}
    const routes = (bot: Bot & Sender) =>
      register(bot, async (chat) => {
        await chat.ask('Day?')
        await wait(chat)
        await chat.once('book', () => new Promise(() => kill()))
      })
    await using world = await openWorld(routes, { options: { attempts: { max: 2 } } })
    await world.emulator.customer(ASHA).says('book')
    await world.settled()
    for (let kills = 0; kills < 2; kills++) {
      const killed = new Promise<void>((resolve) => (kill = resolve))
      if (kills === 0) await world.emulator.customer(ASHA).says('Monday')
      void world.pass('11m')
      await killed
      await world.crash(routes)
    }
    await world.settled()
    await world.emulator.customer(ASHA).says('hello')
    await world.settled()
    expect(await world.replies()).toEqual(['Day?', 'failed', 'route'])
  },
)

it('a question that was not sent is sent when the customer writes after the person who had them, and that message does not answer it [F-55]', async () => {
  const bot = createBot() as Bot & Sender
  const visit = register(bot, async (chat) => {
    await chat.say(`so ${await chat.ask('Coming?')}`)
  })
  await using s = await scenario(bot)
  await s.customer(ASHA).says('hello')
  await bot.to(ASHA).handOver({ for: '2h' })
  await bot.to(ASHA).enter(visit)
  await s.advance('3h')
  await s.customer(ASHA).says('hello?')
  await s.customer(ASHA).says('yes')
  expect(talk(s)).toEqual(['> hello', '< route', '> hello?', '< Coming?', '> yes', '< so yes'])
})
