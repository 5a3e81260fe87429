import { describe, expect, it } from 'vitest'
import { type AskOptions, type Bot, type Chat, createBot, type Sender, template } from '../../src/bot/switchhook.ts'
import { scenario, type Scenario } from '../../src/kit/testing/testing.ts'

const ASHA = '255712000101'
const REMIND = { remind: { after: '20h', content: 'Still there?' } } as const satisfies AskOptions

function survey(script: (chat: Chat) => Promise<unknown>, timeout: '23h' | '3d' = '3d') {
  const bot = createBot() as Bot & Sender
  const asked = bot.conversation('survey', { version: 1, timeout, onEnd: (ctx, why) => ctx.reply(why) }, script)
  bot.hears('survey', (ctx) => ctx.enter(asked))
  bot.otherwise((ctx) => ctx.reply('route'))
  return bot
}

const oneQuestion = (o: AskOptions = REMIND) => survey(async (chat) => chat.say(`so ${await chat.ask('Good?', o)}`))
const sent = (s: Scenario) => s.sent.map(({ text }) => text)

describe('a reminder of a question', () => {
  it('is sent once while the question is open, after a crash too, and the answer still counts [F-55]', async () => {
    await using s = await scenario(oneQuestion())
    const asha = s.customer(ASHA)
    await asha.says('survey')
    expect((await s.advance('1199m')).text).toBe('')
    expect((await s.advance('1m')).text).toBe('Still there?')
    await s.crash()
    expect((await s.advance('2h')).text).toBe('')
    expect((await asha.says('yes')).text).toBe('so yes')
    expect((await s.advance('2d')).text).toBe('')
  })

  it('needs a template once the window is closed; without one it is left out, and the question stays open', async () => {
    const remind = { after: '30h', content: 'Still there?' } as const
    const outsideWindow = template('still_there', 'en')
    const templates = [{ name: 'still_there', language: 'en', body: 'Are you still there?' }]
    for (const [o, shown] of [
      [{ ...remind, outsideWindow }, ['Good?', 'Are you still there?', 'so yes']],
      [remind, ['Good?', 'so yes']],
    ] as const) {
      await using s = await scenario(oneQuestion({ remind: o }), { templates })
      await s.customer(ASHA).says('survey')
      await s.advance('31h')
      await s.customer(ASHA).says('yes')
      expect(sent(s).filter((text) => text !== '')).toEqual(shown)
    }
  })

  it('is not sent for a question that was not', async () => {
    const bot = oneQuestion()
    const other = bot.conversation('other', { version: 1, timeout: '3d' }, (chat) => chat.ask('Good?', REMIND))
    await using s = await scenario(bot)
    await s.customer(ASHA).says('hello')
    await bot.to(ASHA).handOver({ for: '1h' })
    await bot.to(ASHA).enter(other)
    await s.advance('22h')
    expect(sent(s)).toEqual(['route'])
    expect((await s.customer(ASHA).says('hello?')).text).toBe('Good?')
    expect((await s.advance('20h')).text).toBe('Still there?')
  })
})

describe('a message that a script schedules', () => {
  it('is recorded once however often the script runs, and goes out at its time, by a template too [F-55]', async () => {
    const visit = template('visit', 'en', { body: ['Monday'] })
    const bot = survey(async (chat) => {
      const at = new Date(chat.now().getTime() + 30 * 3_600_000)
      await chat.send(visit, { key: ['visit', 7], at })
      await chat.ask('One?')
      await chat.ask('Two?')
    })
    const templates = [{ name: 'visit', language: 'en', body: 'See you on {{1}}' }]
    await using s = await scenario(bot, { templates })
    for (const text of ['survey', 'a']) await s.customer(ASHA).says(text)
    await s.crash()
    await s.customer(ASHA).says('b')
    expect((await s.advance('29h')).replies).toEqual([])
    expect((await s.advance('1h')).replies).toMatchObject([{ template: { name: 'visit', body: ['Monday'] } }])
    await s.advance('30h')
    expect(sent(s)).toHaveLength(3)
  })

  it('goes out while a person has the customer, and can be cancelled by its key until then', async () => {
    const bot = survey(async (chat) => {
      for (const hours of [1, 2]) {
        const at = new Date(chat.now().getTime() + hours * 3_600_000)
        await chat.send(`in ${hours}h`, { key: ['visit', hours], at })
      }
    })
    await using s = await scenario(bot)
    await s.customer(ASHA).says('survey')
    await bot.to(ASHA).handOver({ for: '8h' })
    expect(await bot.cancel(['visit', 2])).toBe(true)
    expect((await s.advance('3h')).text).toBe('in 1h')
  })
})
