import { describe, expect, it } from 'vitest'
import type { Bot, HistoryEntry, Sender } from '../../src/bot/switchhook.ts'
import type { TemplateChoice } from '../../src/features/people/desk/desk-api.ts'
import { BARAKA, NEEMA, openDesk } from '../support/desk-client.ts'
import { says } from '../support/turn.ts'
import { ASHA, JUMA, openWorld } from '../support/virtual-world.ts'

const deskOf = (bot: Bot) => openDesk(bot, [NEEMA, BARAKA]).as(NEEMA)

/** A bot that repeats what it hears, and hands over to a person who asks for one. */
async function openShop() {
  const heard: (string | undefined)[] = []
  let history: readonly HistoryEntry[] = []
  const world = await openWorld((bot) => {
    bot.hears('person', async (ctx) => {
      await ctx.reply('Somebody will answer you here.')
      await ctx.handOver({ for: '4h' })
    })
    bot.otherwise(async (ctx) => {
      heard.push(ctx.message.text)
      await ctx.reply(`re: ${ctx.message.text}`)
      history = await ctx.history()
    })
  })
  const shown = () => history.map(({ by, text }) => [by, text])
  return Object.assign(world, { heard, shown })
}

describe('a person at the desk', () => {
  it('takes a customer over, writes each message once, and hands back: the bot answers the next message and no other [IDEM-01]', async () => {
    await using world = await openShop()
    await says(world, 'hello')
    const desk = deskOf(world.bot)
    const { customer } = await desk.find(ASHA)
    expect((await desk.act({ act: 'take', customer })).status).toBe(200)
    expect(await desk.phones()).toEqual([])
    // A double click, and a request that the browser repeats.
    const first = () => desk.write(customer, 'first-message', 'Neema here.')
    expect((await Promise.all([first(), first()])).map(({ status }) => status)).toEqual([200, 200])
    await world.settled()
    expect(await first()).toMatchObject({ status: 200, body: { count: 0 } })
    await world.pass('1m')
    await says(world, 'is it ready?')
    await world.pass('1m')
    expect(await desk.write(customer, 'second-message', 'Yes.')).toMatchObject({ body: { count: 1 } })
    expect(await desk.act({ act: 'give_back', customer })).toMatchObject({ status: 200 })
    await world.pass('1m')
    // A late repeat does not take the customer over again.
    expect((await first()).body).toMatchObject({ count: 0 })
    await world.settled()
    await says(world, 'thanks')
    expect(await world.replies()).toEqual(['re: hello', 'Neema here.', 'Yes.', 're: thanks'])
    expect(world.heard).toEqual(['hello', 'thanks'])
    expect(world.shown()).toEqual([
      ['customer', 'hello'],
      ['bot', 're: hello'],
      ['person', 'Neema here.'],
      ['customer', 'is it ready?'],
      ['person', 'Yes.'],
      ['customer', 'thanks'],
      ['bot', 're: thanks'],
    ])
    const acts = await world.read('SELECT who, act, what, count FROM acts ORDER BY seq')
    expect(acts.filter(({ act }) => act === 'write').at(-2)).toMatchObject({
      who: 'neema',
      what: expect.stringMatching(/^customer …\d{3} on default, a text$/) as string,
      count: 1,
    })
  })

  it('keeps the bot silent beside kills and an answer of the service that is lost, and each message arrives once [IDEM-01, F-65]', async () => {
    const answers = [Promise.withResolvers<string>(), Promise.withResolvers<string>()]
    const asked: string[] = []
    const routes = (bot: Bot & Sender) =>
      void bot.otherwise(async (ctx) => {
        const { text = '' } = ctx.message
        const call = asked.push(text)
        await ctx.reply(`${text}: ${text === 'a question' ? await answers[call - 1]?.promise : 'read'}`)
      })
    await using world = await openWorld(routes)
    const desk = () => deskOf(world.bot)
    const customer = async () => (await desk().find(ASHA)).customer
    const write = async (key: string, text: string) => (await desk().write(await customer(), key, text)).status
    // The person takes over while a model is asked, whose process is killed; the next one does not ask it again.
    await world.emulator.customer(ASHA).says('a question')
    await world.until(() => asked.length === 1)
    expect((await desk().act({ act: 'take', customer: await customer() })).status).toBe(200)
    await world.crash(routes)
    // Killed when the person's first text is stored, and may have left.
    expect(await write('first-text', 'Neema here.')).toBe(200)
    await world.crash(routes)
    await world.pass('1m')
    // The service accepts the second one, and the process is killed before it knows.
    await world.emulator.faults.set([{ on: 'send', do: 'lose_answer', next: 1 }])
    expect(await write('second-text', 'Which order?')).toBe(200)
    await world.until(async () => (await world.replies()).includes('Which order?'))
    await world.crash(routes)
    expect(await write('second-text', 'Which order?')).toBe(200)
    await world.emulator.customer(ASHA).says('7781')
    await world.crash(routes)
    await world.pass('1m')
    expect((await desk().act({ act: 'give_back', customer: await customer() })).status).toBe(200)
    await world.crash(routes)
    for (const { resolve } of answers) resolve('a late answer of the model')
    await world.pass('1m')
    await says(world, 'thanks')
    expect(await world.replies()).toEqual(['Neema here.', 'Which order?', 'thanks: read'])
    expect(asked).toEqual(['a question', 'thanks'])
  })

  it('takes over with the first message, and is refused another text under its key', async () => {
    await using world = await openShop()
    await says(world, 'hello')
    const desk = deskOf(world.bot)
    const { customer } = await desk.find(ASHA)
    await desk.write(customer, 'one-message', 'Neema here.')
    expect((await desk.visit(customer)).takenOver).toMatchObject({ by: 'person' })
    const other = await desk.write(customer, 'one-message', 'Another text.')
    expect(other).toMatchObject({ status: 409, body: { error: 'changed' } })
    await says(world, 'oh')
    expect(await world.replies()).toEqual(['re: hello', 'Neema here.'])
  })

  it('may send outside the window a template alone, and nobody is taken over for a text that is refused [ERR-06]', async () => {
    await using world = await openShop()
    await says(world, 'hello')
    await world.emulator.templates.add({
      name: 'order_ready',
      language: 'en',
      components: [{ type: 'BODY', text: 'Order {{1}} is ready.' }],
    })
    const desk = deskOf(world.bot)
    const { customer } = await desk.find(ASHA)
    await world.pass('25h')
    const text = await desk.write(customer, 'late-text', 'Are you still there?')
    expect(text).toMatchObject({ status: 409, body: { error: 'window_closed' } })
    expect(text.body.message).toBe('The 24-hour window of this customer is closed. Choose a template.')
    expect((await desk.visit(customer)).takenOver).toBeUndefined()
    const templates = await desk.ask<{ rows: TemplateChoice[] }>(`api/templates/${customer}`)
    expect(templates.body.rows).toContainEqual({
      name: 'order_ready',
      language: 'en',
      text: 'Order {{1}} is ready.',
      header: 0,
      body: 1,
    })
    const wrong = { name: 'order_ready', language: 'en', body: [] }
    const refused = await desk.write(customer, 'template-1', undefined, { template: wrong })
    expect(refused).toMatchObject({ status: 409, body: { error: 'no_template' } })
    expect(refused.body.message).toContain('needs 1 parameters, but 0 were passed')
    const template = { ...wrong, body: ['7781'] }
    expect(await desk.write(customer, 'template-1', undefined, { template })).toMatchObject({ status: 200 })
    await world.settled()
    expect((await desk.visit(customer)).lines.at(-1)).toMatchObject({
      kind: 'template',
      state: 'delivered',
      who: 'neema',
    })
  })

  it('gives the customer back if a text was refused before it was sent', async () => {
    await using world = await openWorld((bot) => void bot.otherwise((ctx) => ctx.reply('Hello.')), {
      options: { allowedRecipients: [JUMA] },
    })
    await says(world, 'hello')
    const desk = deskOf(world.bot)
    const { customer } = await desk.find(ASHA)
    const written = await desk.write(customer, 'not-listed', 'Neema here.')
    expect(written).toMatchObject({ status: 409, body: { error: 'not_allowed' } })
    expect((await desk.visit(customer)).takenOver).toBeUndefined()
  })
})
