import { describe, expect, it } from 'vitest'
import type { BotOptions } from '../../src/bot/switchhook.ts'
import { happens, says, turn } from '../support/turn.ts'
import { ASHA, openWorld, type World } from '../support/virtual-world.ts'

type Facts = NonNullable<BotOptions['facts']>

const PAID = {
  data: { order: { id: 7781, lines: [{ sku: 'a' }, { sku: 'b' }] }, amount: '12.50', customer: { phone: ASHA } },
}

/** The reasons for which items are parked. */
async function reasons(world: World): Promise<unknown[]> {
  const { deliveries } = await world.store().listDeliveries({ states: ['parked'], limit: 99 })
  const items = deliveries.toReversed().flatMap((delivery) => delivery.items)
  return items.filter(({ state }) => state === 'parked').map(({ reason }) => reason)
}

/** Ingests every delivery with parked items again, as a person does after correcting the mapping. */
async function reingest(world: World): Promise<void> {
  const { deliveries } = await world.store().listDeliveries({ limit: 99 })
  await world.store().reingest(deliveries.map(({ seq }) => seq))
}

describe('a fact that is missing', () => {
  it.each([
    ['the path leads nowhere', 'data.total'],
    ['the function gives no number', () => Number('x')],
    [
      'the function fails later',
      async () => {
        throw new Error('unexpected')
      },
    ],
    ['the function gives what JSON has no form for', () => 7n],
  ])('parks the delivery, and names the fact: %s [R EVT-02]', async (_what, where) => {
    const heard: unknown[] = []
    await using world = await openWorld(
      (bot) => {
        bot.on('order.paid', (ctx) => ctx.to(ASHA).send(`Paid ${ctx.need('amount' as 'customer') as string}`, {}))
        bot.observe({ parked: ({ reason }) => heard.push(reason) })
      },
      { options: { facts: { 'order.paid': { amount: where } } } },
    )
    await turn(world, () => happens(world, 'order.paid', PAID))
    expect(await reasons(world)).toEqual([expect.stringMatching(/fact_missing: amount/)])
    expect(heard).toEqual([expect.stringMatching(/fact_missing: amount/)])
    expect((await world.counts()).sends).toEqual({})
  })

  it('is logged with its reason, and the log names the command that shows its shape [R EVT-02]', async () => {
    await using world = await openWorld((bot) => void bot.otherwise(() => {}), {
      options: { facts: { 'message.received': { customer: 'gone' } } },
    })
    await turn(world, () => happens(world, 'message.received', PAID))
    const parked = world.lines.find(({ message }) => message?.includes('parked'))
    expect(parked?.about).toMatchObject({ reason: 'fact_missing: customer' })
    expect(parked?.message).toContain('run `switchhook payload report`')
  })

  it('is missing if the handler needs a fact that is not mapped, even one named like a member of every object [R EVT-02]', async () => {
    for (const name of ['amount', 'constructor', 'toString', '__proto__']) {
      await using world = await openWorld((bot) => bot.on('order.paid', (ctx) => void ctx.need(name as 'customer')))
      await turn(world, () => happens(world, 'order.paid', PAID))
      expect(await reasons(world)).toEqual([expect.stringContaining(`fact_missing: ${name}`)])
    }
  })

  it('is handled when the mapping is corrected, and finished effects are not repeated [R EVT-02, F-62]', async () => {
    const told: string[] = []
    const options: BotOptions = { facts: { 'order.paid': { amount: 'data.total' } } }
    const register = (bot: Parameters<Parameters<typeof openWorld>[0]>[0]) => {
      bot.hears('hi', () => {})
      bot.on('order.paid', () => void told.push('stock'))
      bot.on('order.paid', async (ctx) => {
        await ctx.to(ASHA).send('Thank you', { ref: 'thanks' })
        told.push(`paid ${ctx.need('amount' as 'customer') as string}`)
      })
    }
    await using world = await openWorld(register, { options })
    await says(world, 'hi')
    await turn(world, () => happens(world, 'order.paid', PAID))
    expect(await reasons(world)).toHaveLength(1)
    options.facts = { 'order.paid': { amount: 'data.amount' } }
    await world.restart(register)
    await reingest(world)
    await world.until(() => told.length === 2)
    await world.settled()
    expect(told).toEqual(['stock', 'paid 12.50'])
    expect(await world.replies()).toEqual(['Thank you'])
    expect(await reasons(world)).toEqual([])
  })
})

describe('the customer whom a message is from', () => {
  const strange = (phone: unknown) => ({ data: { peer: { tel: phone }, body: { said: 'hi' } } })
  const facts: Facts = { 'message.received': { customer: 'data.peer.tel', text: 'data.body.said' } }
  const answering = (bot: Parameters<Parameters<typeof openWorld>[0]>[0]) => {
    bot.otherwise((ctx) => ctx.reply(`you said ${ctx.message.text}`))
  }

  it('gets a reply with replies: mapped, if they are mapped [R EVT-02]', async () => {
    await using world = await openWorld(answering, { options: { replies: 'mapped', facts } })
    await openWindow(world)
    await turn(world, () => happens(world, 'message.received', strange('+255 712 000 101')))
    expect(await world.replies()).toEqual(['you said hi'])
  })

  it('gets no reply with replies: mapped if they are guessed: the message is parked before anything is sent [R EVT-02]', async () => {
    await using world = await openWorld(answering, { options: { replies: 'mapped' } })
    await says(world, 'hi')
    expect(await reasons(world)).toEqual([expect.stringContaining('does not say for certain who wrote')])
    expect((await world.counts()).sends).toEqual({})
  })

  /** The bot’s own mapping reads no message of the emulator, so one is posted that it can read, and opens the window. */
  async function openWindow(world: World): Promise<void> {
    await world.emulator.customer(ASHA).says('opens the window')
    await world.until(async () => (await reasons(world)).length === 1)
  }
})

it('passes the payload of an event as ctx.json, with the type that was recorded for it [R EVT-05]', async () => {
  const seen: unknown[] = []
  await using world = await openWorld((bot) => bot.on('order.created', (ctx) => void seen.push(ctx.json)))
  const json = { event: 'order.created', data: { id: 'o-1', total: 12 } }
  await turn(world, () => happens(world, 'order.created', json))
  expect(seen).toEqual([json])
})
