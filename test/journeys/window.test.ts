import { beforeEach, describe, expect, it } from 'vitest'
import { type Bot, type Sender, signDelivery, template } from '../../src/bot/switchhook.ts'
import { ASHA, openWorld, type World } from '../support/virtual-world.ts'

const HOUR = 3_600_000
const ORDER_READY = { name: 'order_ready', language: 'en', body: 'Order {{1}} is ready.' }
const READY = template('order_ready', 'en', { body: ['7'] })

describe('the window of a customer', () => {
  let heard: { open: unknown; closesAt: Date | undefined }[]
  beforeEach(() => {
    heard = []
  })
  const listening = (bot: Bot & Sender) => bot.otherwise((ctx) => void heard.push({ ...ctx.window }))

  it('is not reopened by a message of twenty hours ago that is delivered now [B GEN-04, F-91]', async () => {
    await using world = await openWorld(listening)
    const at = hours(-20)
    await deliver(world, { at })
    expect(heard).toEqual([{ open: true, closesAt: new Date(at.getTime() + 24 * HOUR) }])
  })

  it('is closed for one of twenty-five hours ago, after a restart too, and the template goes out at once [B GEN-04, F-91, F-95]', async () => {
    const results: unknown[] = []
    await using world = await openWorld((bot) =>
      bot.otherwise(async (ctx) => void results.push((await ctx.reply('ready', { outsideWindow: READY })).via)),
    )
    await world.control('POST', 'templates', ORDER_READY)
    await deliver(world, { at: hours(-25) })
    expect(results).toEqual(['template'])
    await world.restart(listening)
    expect((await world.bot.to(ASHA).send('ready', { key: 'k', outsideWindow: READY })).via).toBe('template')
    expect((await world.thread()).filter(({ refused }) => refused)).toEqual([])
  })

  it('is open for no more than a day after the receipt, whatever time the payload claims [B GEN-04, F-92]', async () => {
    await using world = await openWorld(listening)
    const before = world.now()
    await deliver(world, { at: hours(3) })
    const closesAt = heard[0]?.closesAt?.getTime() ?? 0
    expect(closesAt).toBeGreaterThanOrEqual(before + 24 * HOUR)
    expect(closesAt).toBeLessThanOrEqual(world.now() + 24 * HOUR)
  })

  it.each(['message.status', 'message.sent', 'order.paid', 'conversation.escalated'] as const)(
    'is not opened by %s [B GEN-04, F-94]',
    async (event) => {
      let ran = 0
      await using world = await openWorld((bot) => bot.on(event, () => void ran++))
      await deliver(world, {
        event,
        at: new Date(),
        more: { from: undefined, customer_phone: ASHA, status: 'delivered' },
      })
      expect(ran).toBe(1)
      expect(await windows(world)).toEqual([])
    },
  )

  it('is not opened by a send [B GEN-04, F-94]', async () => {
    await using world = await openWorld(listening)
    await world.control('POST', 'templates', ORDER_READY)
    await world.bot.to(ASHA).send(READY, { key: 'k' })
    expect(await windows(world)).toEqual([])
    await expect(world.bot.to(ASHA).send('text', { key: 'l' })).rejects.toMatchObject({ code: 'outside_window' })
  })

  it('is unknown without a readable time: the service is tried first, and that is logged [B GEN-04, F-97]', async () => {
    const results: unknown[] = []
    await using world = await openWorld((bot) =>
      bot.otherwise(async (ctx) => {
        heard.push({ ...ctx.window })
        results.push((await ctx.reply('ready', { outsideWindow: READY })).via)
      }),
    )
    await world.control('POST', 'templates', ORDER_READY)
    await deliver(world, { at: undefined })
    expect(heard).toEqual([{ open: 'unknown', closesAt: undefined }])
    expect(results).toEqual(['template'])
    const warned = world.lines.filter(({ level }) => level === 'warn').map(({ about }) => about)
    expect(warned).toContainEqual(expect.objectContaining({ alarm: 'fact_missing', fact: 'at' }))
    // Refused before anybody saw it.
    expect((await world.thread()).filter(({ refused }) => refused)).toHaveLength(1)
    expect(await windows(world)).toEqual([])
  })

  /** One delivery with the service's usual shape, handled. */
  async function deliver(
    world: World,
    o: { id?: string; at: Date | undefined; event?: string; more?: object },
  ): Promise<void> {
    const { id = 'm1', at, event = 'message.received', more } = o
    const told = at && { created_at: at.toISOString() }
    const data = { id, wa_message_id: `wamid.${id}`, from: ASHA, message_type: 'text', content: 'hi', ...told, ...more }
    const body = JSON.stringify({ event, data })
    const deliveryId = `01J${String(++delivered).padStart(23, 'W')}`
    const headers = signDelivery({ body, secret: world.emulator.signingSecret, at: new Date(), event, deliveryId })
    expect(await world.deliver(headers, body)).toBe(200)
    await world.settled()
  }
  let delivered = 0
})

function hours(from: number): Date {
  return new Date(Date.now() + from * HOUR)
}

function windows(world: World) {
  return world.read('SELECT customer, last_at FROM customers WHERE last_at IS NOT NULL')
}
