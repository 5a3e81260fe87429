import { describe, expect, it } from 'vitest'
import type { Bot, HistoryEntry, Sender } from '../../src/bot/switchhook.ts'
import { helpDesk } from '../support/help-desk.ts'
import { says } from '../support/turn.ts'
import { ASHA, JUMA, openWorld } from '../support/virtual-world.ts'

const NEEMA = { name: 'neema@shop.example', write: true }

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
  return {
    world,
    heard,
    shown: () => history.map(({ by, text }) => [by, text]),
    [Symbol.asyncDispose]: async () => world[Symbol.asyncDispose](),
  }
}

describe('a person at the admin page', () => {
  it('takes a customer over, writes each message once, and hands back: the bot answers the next message and no other [IDEM-01]', async () => {
    await using shop = await openShop()
    const { world } = shop
    await says(world, 'hello')
    const desk = helpDesk(world.bot, NEEMA)
    const customer = await desk.find(ASHA)
    expect((await desk.act({ act: 'hand_over', customer, minutes: 60 })).status).toBe(200)
    expect(await desk.waiting()).toEqual([])
    // A double click, and a request that the browser repeats.
    const first = () => desk.write(customer, 'first-message', { text: 'Neema here.' })
    expect((await Promise.all([first(), first()])).map(({ status }) => status)).toEqual([200, 200])
    await world.settled()
    expect(await first()).toMatchObject({ status: 200, body: { count: 0 } })
    await world.pass('1m')
    await says(world, 'is it ready?')
    await world.pass('1m')
    expect(await desk.write(customer, 'second-message', { text: 'Yes.' })).toMatchObject({ body: { count: 1 } })
    expect(await desk.act({ act: 'hand_back', customer })).toMatchObject({ status: 200 })
    await world.pass('1m')
    // A late repeat does not take the customer over again.
    expect((await first()).body).toMatchObject({ count: 0 })
    await world.settled()
    await says(world, 'thanks')
    expect(await world.replies()).toEqual(['re: hello', 'Neema here.', 'Yes.', 're: thanks'])
    expect(shop.heard).toEqual(['hello', 'thanks'])
    expect(shop.shown()).toEqual([
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
      who: NEEMA.name,
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
    const desk = () => helpDesk(world.bot, NEEMA)
    const customer = async () => desk().find(ASHA)
    const write = async (key: string, text: string) => (await desk().write(await customer(), key, { text })).status
    // The person takes over while a model is asked, whose process is killed; the next one does not ask it again.
    await world.emulator.customer(ASHA).says('a question')
    await world.until(() => asked.length === 1)
    expect((await desk().act({ act: 'hand_over', customer: await customer() })).status).toBe(200)
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
    expect((await desk().act({ act: 'hand_back', customer: await customer() })).status).toBe(200)
    await world.crash(routes)
    for (const { resolve } of answers) resolve('a late answer of the model')
    await world.pass('1m')
    await says(world, 'thanks')
    expect(await world.replies()).toEqual(['Neema here.', 'Which order?', 'thanks: read'])
    expect(asked).toEqual(['a question', 'thanks'])
  })

  it('takes over with the first message, and is refused another text under its key', async () => {
    await using shop = await openShop()
    const { world } = shop
    await says(world, 'hello')
    const desk = helpDesk(world.bot, NEEMA)
    const customer = await desk.find(ASHA)
    await desk.write(customer, 'one-message', { text: 'Neema here.' })
    expect((await desk.see(customer)).takenOver).toMatchObject({ by: 'person' })
    const other = await desk.write(customer, 'one-message', { text: 'Another text.' })
    expect(other).toMatchObject({ status: 409, body: { error: 'changed' } })
    await says(world, 'oh')
    expect(await world.replies()).toEqual(['re: hello', 'Neema here.'])
  })

  it('may send outside the window a template alone, and nobody is taken over for a text that is refused [ERR-06]', async () => {
    await using shop = await openShop()
    const { world } = shop
    await says(world, 'hello')
    await world.emulator.templates.add({
      name: 'order_ready',
      language: 'en',
      components: [{ type: 'BODY', text: 'Order {{1}} is ready.' }],
    })
    const desk = helpDesk(world.bot, NEEMA)
    const customer = await desk.find(ASHA)
    await world.pass('25h')
    const text = await desk.write(customer, 'late-text', { text: 'Are you still there?' })
    expect(text).toMatchObject({ status: 409, body: { error: 'not_possible' } })
    expect(text.body.message).toBe('The 24-hour window of this customer is closed. Choose a template.')
    expect((await desk.see(customer)).takenOver).toBeUndefined()
    await desk.act({ act: 'hand_over', customer })
    expect((await desk.see(customer)).templates).toContainEqual({
      name: 'order_ready',
      language: 'en',
      text: 'Order {{1}} is ready.',
      header: 0,
      body: 1,
    })
    const wrong = { name: 'order_ready', language: 'en', body: [] }
    const refused = await desk.write(customer, 'template-1', { template: wrong })
    expect(refused).toMatchObject({ status: 409, body: { error: 'not_possible' } })
    expect(refused.body.message).toContain('needs 1 parameters, but 0 were passed')
    const template = { ...wrong, body: ['7781'] }
    expect(await desk.write(customer, 'template-1', { template })).toMatchObject({ status: 200 })
    await world.settled()
    const { sends } = await desk.see(customer)
    expect(sends[0]).toMatchObject({ state: 'accepted', via: 'template', template: 'order_ready' })
  })

  it('sees who waits for an answer, longest first, and no longer those who have one', async () => {
    await using shop = await openShop()
    const { world } = shop
    const desk = helpDesk(world.bot, NEEMA)
    await says(world, 'person', JUMA)
    await world.pass('10m')
    await says(world, 'person')
    await world.pass('10m')
    // A customer who writes again does not lose their place.
    await says(world, 'hello?', JUMA)
    const names = async () => (await desk.waiting()).map(({ customer }) => customer)
    expect(await names()).toEqual([`…${JUMA.slice(-3)}`, `…${ASHA.slice(-3)}`])
    const [juma, asha] = await desk.waiting()
    expect(Date.parse(asha?.since ?? '') - Date.parse(juma?.since ?? '')).toBeGreaterThanOrEqual(600_000)
    await desk.write(juma?.handle ?? '', 'to-juma-1', { text: 'Neema here.' })
    expect(await names()).toEqual([`…${ASHA.slice(-3)}`])
    await says(world, 'my order?', JUMA)
    expect(await names()).toEqual([`…${ASHA.slice(-3)}`, `…${JUMA.slice(-3)}`])
    expect(await desk.act({ act: 'hand_back', customer: asha?.handle ?? '' })).toMatchObject({ status: 200 })
    // The bot answers again, and nobody has answered this.
    expect(await names()).toEqual([`…${ASHA.slice(-3)}`, `…${JUMA.slice(-3)}`])
    // A message that arrived while the person wrote is not answered by that.
    const { newest: seen } = await desk.see(juma?.handle ?? '')
    await says(world, 'and a receipt', JUMA)
    await desk.write(juma?.handle ?? '', 'to-juma-2', { text: 'It is packed.', seen })
    expect(await names()).toEqual([`…${ASHA.slice(-3)}`, `…${JUMA.slice(-3)}`])
    // The end of a take-over changes only who answers next.
    await world.pass('25h')
    expect(await names()).toEqual([`…${ASHA.slice(-3)}`, `…${JUMA.slice(-3)}`])
  })

  it('gives the customer back if a text was refused before it was sent', async () => {
    await using world = await openWorld((bot) => void bot.otherwise((ctx) => ctx.reply('Hello.')), {
      options: { allowedRecipients: [JUMA] },
    })
    await says(world, 'hello')
    const desk = helpDesk(world.bot, NEEMA)
    const customer = await desk.find(ASHA)
    const written = await desk.write(customer, 'not-listed', { text: 'Neema here.' })
    expect(written).toMatchObject({ status: 409, body: { error: 'not_possible' } })
    expect((await desk.see(customer)).takenOver).toBeUndefined()
  })
})
