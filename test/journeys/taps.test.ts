import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { buttons, list, type Option, tap, template } from '../../src/bot/switchhook.ts'
import { forges, says, taps } from '../support/turn.ts'
import { ASHA, JUMA, openWorld, type World } from '../support/virtual-world.ts'

type BotOf = Parameters<Parameters<typeof openWorld>[0]>[0]

const Order = tap('order', z.object({ id: z.string(), line: z.number() }), { expires: '30d' })
const REMIND = {
  name: 'remind',
  language: 'sw',
  components: [
    { type: 'BODY', text: 'Oda {{1}}' },
    { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'Fuatilia' }] },
  ],
}

/** Offers an order for `menu`, and replies with the option that was tapped, or that it was stale. */
const shop = (bot: BotOf) => {
  bot.hears('menu', (ctx) => ctx.reply(list('Orders', [Order.option('#7', { id: '7', line: 2 })])))
  bot.tapped(Order, (ctx) => ctx.reply(`order ${ctx.params.id}, line ${ctx.params.line + 1}`), {
    stale: (ctx) => ctx.reply('too old'),
  })
  bot.otherwise((ctx) => ctx.reply(`otherwise ${ctx.message.tapped?.id ?? ''}`))
}

describe('an option made by tap()', () => {
  it('returns its parameters typed, to the customer that it was sent to [R EVT-03]', async () => {
    await using world = await openWorld(shop)
    await says(world, 'menu')
    await taps(world, await offered(world))
    expect((await world.replies()).at(-1)).toBe('order 7, line 3')
  })

  it('opens nothing for another customer, whatever their phone shows', async () => {
    await using world = await openWorld(shop)
    await says(world, 'menu')
    await says(world, 'menu', JUMA)
    await forges(world, await offered(world), JUMA)
    expect((await world.replies(JUMA)).at(-1)).toBe('too old')
    await taps(world, await offered(world, JUMA), JUMA)
    expect((await world.replies(JUMA)).at(-1)).toBe('order 7, line 3')
  })

  it.each([
    ['with another parameter', (id: string) => id.replace(/\.[^.]+/, `.${encoded({ id: '8', line: 2 })}`)],
    ['with a later time', (id: string) => id.replace(/\.([0-9a-z]+)\.([^.]+)$/, '.zzzzzz.$2')],
    ['with its seal cut off', (id: string) => id.slice(0, id.lastIndexOf('.'))],
    ['with a forged signature', (id: string) => `${id.slice(0, -16)}${'A'.repeat(16)}`],
    ['as it was before it was sealed', () => `~order.${encoded({ id: '7', line: 2 })}`],
    ['with nothing behind its name', () => '~order.'],
  ])('is stale %s', async (_what, change) => {
    await using world = await openWorld(shop)
    await says(world, 'menu')
    await forges(world, change(await offered(world)))
    expect((await world.replies()).at(-1)).toBe('too old')
  })
})

describe('an id of the form of tap()', () => {
  const option = Order.option('#7', { id: '7', line: 2 })
  const OFFERS = [
    (given: Option) => buttons('?', [given]),
    (given: Option) => list('?', [given]),
    (given: Option) => list('?', { Orders: [given] }),
    (given: Option) => template('remind', 'sw', { body: ['1'], buttons: [{ payload: given }] }),
  ]

  it('is refused if it came from a text, however it is offered', () => {
    const why = expect.objectContaining({ code: 'content_invalid', message: expect.stringContaining('tap().option()') })
    const other = Order.option('#8', { id: '8', line: 2 })
    for (const offer of OFFERS) {
      offer({ ...option, title: '#8' })
      expect(() => offer(JSON.parse(JSON.stringify(option)))).toThrow(why)
      expect(() => offer({ ...other, id: option.id })).toThrow(why)
    }
    expect(() => template('remind', 'sw', { buttons: [{ payload: option.id }] })).toThrow(why)
  })
})

describe('the time of an option', () => {
  it('is the service’s: a menu of last month is stale, and one of last week is not', async () => {
    await using world = await openWorld(shop)
    await says(world, 'menu')
    const id = await offered(world)
    await world.emulator.clock.advance('7d')
    await taps(world, id)
    expect((await world.replies()).at(-1)).toBe('order 7, line 3')
    await world.emulator.clock.advance('24d')
    await taps(world, id)
    expect((await world.replies()).at(-1)).toBe('too old')
  })

  it('begins when it goes out, not when it was written', async () => {
    const Soon = tap('soon', z.object({}), { expires: '1h' })
    await using world = await openWorld((bot) => {
      bot.tapped(Soon, (ctx) => ctx.reply('in time'), { stale: (ctx) => ctx.reply('too old') })
      bot.otherwise(() => {})
    })
    await says(world, 'hi')
    const at = new Date(world.now() + 3 * 3_600_000)
    await world.bot.to(ASHA).send(buttons('?', [Soon.option('a', {})]), { key: 'k', at, wait: 'stored' })
    await world.pass('3h')
    expect(await world.replies()).toHaveLength(1)
    await taps(world, await offered(world))
    expect((await world.replies()).at(-1)).toBe('in time')
  })
})

describe('a template’s quick reply', () => {
  it('may contain an option as its payload, sent at once or as the fallback [R EVT-03]', async () => {
    await using world = await openWorld(shop)
    await world.control('POST', 'templates', REMIND)
    const remind = (id: string) =>
      template('remind', 'sw', { body: [id], buttons: [{ payload: Order.option('', { id, line: 0 }) }] })
    await says(world, 'hi')
    await world.bot.to(ASHA).send(remind('1'), { key: 'at once' })
    await taps(world, await offered(world))
    await world.emulator.clock.advance('25h')
    await world.bot.to(ASHA).send('Oda 2', { key: 'later', outsideWindow: remind('2') })
    await taps(world, await offered(world))
    expect((await world.replies()).filter((text) => text?.startsWith('order'))).toEqual([
      'order 1, line 1',
      'order 2, line 1',
    ])
  })
})

/** The ids that the last message with any offers. */
async function all(world: World, customer = ASHA): Promise<string[]> {
  const offers = (await world.emulator.customer(customer).thread()).toReversed().map((item) => {
    const shown = item as unknown as Offering
    const rows = shown.interactive?.sections?.flatMap((section) => section.rows) ?? []
    const options = [...(shown.interactive?.buttons ?? []), ...rows].map(({ id }) => id)
    return [...options, ...(shown.quickReplies ?? []).map(({ payload }) => payload)]
  })
  return offers.find((ids) => ids.length > 0) ?? []
}

async function offered(world: World, customer = ASHA): Promise<string> {
  const [id = 'nothing'] = await all(world, customer)
  return id
}

interface Offering {
  interactive?: { buttons?: { id: string }[]; sections?: { rows: { id: string }[] }[] }
  quickReplies?: { payload: string }[]
}

function encoded(params: unknown): string {
  return Buffer.from(JSON.stringify(params)).toString('base64url')
}
