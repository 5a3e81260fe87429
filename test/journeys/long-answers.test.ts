import { describe, expect, it } from 'vitest'
import { type Bot, type Sender, template } from '../../src/bot/switchhook.ts'
import type { SendResult } from '../../src/bot/outbox/send.ts'
import { ASHA, openWorld, type World } from '../support/virtual-world.ts'

const PARTS = ['shoes', 'socks', 'shirts'].map((word) => `We have ${word}. `.repeat(200).trim())
const LONG = PARTS.join('\n\n')
const VISIT = template('visit', 'en', { body: ['Monday'] })
const ON_VISIT = { name: 'visit', language: 'en', category: 'UTILITY', body: 'See you on {{1}}' }

async function says(world: World, text = 'what do you have?') {
  await world.emulator.customer(ASHA).says(text)
  await world.settled()
}

describe('an answer that is longer than the service allows', () => {
  it('arrives in parts, in order, and their statuses are in the parts of the send [C SEND-03]', async () => {
    const results: SendResult[] = []
    await using world = await openWorld((bot) =>
      bot.otherwise(async (ctx) => void results.push(await ctx.reply(LONG, { long: 'split', ref: 'r' }))),
    )
    await says(world)
    expect(await world.replies()).toEqual(PARTS)
    const [result] = results
    if (result?.via !== 'freeform') return expect.unreachable()
    expect(result.send.parts).toMatchObject([{ id: result.send.id, ref: 'r' }, { ref: 'r' }, { ref: 'r' }])
  })

  it('is found by a rerun, whatever the model says then: the process dies between two parts', async () => {
    let run = 0
    const routes = (bot: Bot & Sender) =>
      bot.otherwise((ctx) => ctx.reply(run++ === 0 ? LONG : 'The model changed its mind.', { long: 'split' }))
    await using world = await openWorld(routes)
    // The second part is under way when the process dies.
    await world.emulator.faults.set([{ on: 'send', do: 'status', status: 503, every: 2 }])
    await world.emulator.customer(ASHA).says('hi')
    await world.until(async () => (await world.replies()).length === 1)
    await world.crash(routes)
    await world.pass('1m')
    expect(run).toBe(2)
    expect(await world.replies()).toEqual(PARTS)
  })

  it('is asked and said in a conversation, and the answer is that to its last part', async () => {
    const answers: string[] = []
    await using world = await openWorld((bot) => {
      const form = bot.conversation('form', { version: 1, timeout: '1d' }, async (chat) => {
        await chat.say(LONG, { long: 'split' })
        answers.push(await chat.ask(`${LONG}\n\nYour name?`, { long: 'split' }))
      })
      bot.hears('form', (ctx) => ctx.enter(form))
    })
    await says(world, 'form')
    expect(await world.replies()).toEqual([...PARTS, ...PARTS.slice(0, 2), `${PARTS[2]}\n\nYour name?`])
    await says(world, 'Asha')
    expect(answers).toEqual(['Asha'])
  })

  it('is no open question until its end was sent: the next message brings that, and is no answer', {
    timeout: 30_000,
  }, async () => {
    const answers: string[] = []
    const form = (bot: Bot & Sender) => {
      const asked = bot.conversation('form', { version: 1, timeout: '1d' }, async (chat) => {
        answers.push(await chat.ask(`${LONG}\n\nYour name?`, { long: 'split' }))
      })
      bot.hears('form', (ctx) => ctx.enter(asked))
    }
    await using world = await openWorld(form, { options: { staleAfter: '400ms' } })
    await world.emulator.faults.set([{ on: 'send', do: 'status', status: 429, every: 2 }])
    await says(world, 'form')
    await world.emulator.faults.set([])
    expect(await world.replies()).toEqual(PARTS.slice(0, 1))
    await world.pass('2m')
    await says(world, 'hello?')
    expect([await world.replies(), answers]).toEqual([[...PARTS.slice(0, 2), `${PARTS[2]}\n\nYour name?`], []])
    await says(world, 'Asha')
    expect(answers).toEqual(['Asha'])
  })

  it('is split everywhere by the bot’s option: in a reply, a send and a script', async () => {
    await using world = await openWorld((bot) => bot.otherwise((ctx) => ctx.reply(LONG)), {
      options: { long: 'split' },
    })
    await says(world)
    await world.bot.to(ASHA).send(LONG, { key: 'k' })
    await expect(world.bot.to(ASHA).send(LONG, { key: 'l', long: 'refuse' })).rejects.toThrow("long: 'split'")
    await world.settled()
    expect(await world.replies()).toEqual([...PARTS, ...PARTS])
  })

  it('ends with the template, once, when the window closes between two parts [B ERR-06]', async () => {
    await using world = await openWorld((bot) => bot.otherwise(() => {}))
    await world.control('POST', 'templates', ON_VISIT)
    await says(world, 'hi')
    await world.emulator.faults.set([
      { on: 'send', do: 'status', status: 409, code: 'outside_messaging_window', every: 2 },
    ])
    const sent = await world.bot.to(ASHA).send(LONG, { key: 'k', long: 'split', outsideWindow: VISIT })
    expect(sent).toMatchObject({
      via: 'template',
      send: { parts: [{ state: 'accepted' }, { state: 'accepted' }, { state: 'skipped' }] },
    })
    expect(
      (await world.thread()).filter(({ direction, refused }) => direction === 'OUTBOUND' && !refused),
    ).toHaveLength(2)
  })
})

describe('a reminder that is moved', () => {
  const at = (world: World, hours: number) => new Date(world.now() + hours * 3_600_000)

  it('goes out at its new time, with its new text, and not at the old one', async () => {
    await using world = await openWorld((bot) => bot.otherwise(() => {}))
    await says(world)
    const later = (hours: number) =>
      world.bot.to(ASHA).send(`in ${hours} h`, { key: ['visit', 7], at: at(world, hours) })
    expect(await later(2)).not.toHaveProperty('moved')
    expect(await later(5)).toMatchObject({ via: 'stored', moved: true, send: { state: 'scheduled' } })
    await world.pass('3h')
    expect(await world.replies()).toEqual([])
    expect(await later(1)).toMatchObject({ via: 'stored', moved: true })
    await world.pass('2h')
    expect(await world.replies()).toEqual(['in 1 h'])
  })

  it('that went out says so: the same text is its result, another text is an error', async () => {
    await using world = await openWorld((bot) => bot.otherwise(() => {}))
    await says(world)
    const later = (text: string) => world.bot.to(ASHA).send(text, { key: 'k', at: '1h' })
    await later('soon')
    await world.pass('2h')
    expect(await later('soon')).toMatchObject({ via: 'freeform', replayed: true })
    await expect(later('later')).rejects.toMatchObject({
      code: 'diverged',
      message: expect.stringContaining('accepted'),
    })
    await world.pass('2h')
    expect(await world.replies()).toEqual(['soon'])
  })

  it('of a handler, whose key comes from its cause, stays: a rerun would compute a later time', async () => {
    let run = 0
    const routes = (bot: Bot & Sender) =>
      bot.otherwise(async (ctx) => {
        await ctx.to(ctx.customer).send('soon', { at: '1h' })
        if (run++ === 0) throw new Error('once')
      })
    await using world = await openWorld(routes)
    await world.emulator.customer(ASHA).says('hi')
    await world.until(() => run === 2)
    const [send] = (await world.store().listSends({ limit: 1 })).sends
    const asked = (await world.store().listDeliveries({ limit: 1 })).deliveries[0]?.receivedAt ?? 0
    expect((send?.dueAt ?? 0) - asked).toBe(3_600_000)
    await world.pass('61m')
    expect(await world.replies()).toEqual(['soon'])
  })
})
