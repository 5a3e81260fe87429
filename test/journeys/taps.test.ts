import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { buttons, createBot, list, type Option, tap, template } from '../../src/bot/switchhook.ts'
import { optOuts } from '../../src/features/comfort/comfort.ts'
import { scenario } from '../../src/kit/testing/testing.ts'
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

it('a template’s quick reply may contain an option as its payload, sent at once or as the fallback [R EVT-03]', async () => {
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

describe('an option of a question', () => {
  const YES = [
    { id: 'yes', title: 'Yes' },
    { id: 'no', title: 'No' },
  ] as const

  /** Asks twice with the same options. */
  const asking = (bot: BotOf) => {
    const order = bot.conversation('order', { version: 1, timeout: '1h' }, async (chat) => {
      const book = await chat.ask(buttons('Book?', YES), { invalid: buttons('Yes or no?', YES) })
      const pay = await chat.ask(buttons('And pay?', YES))
      await chat.say(`${book}, ${pay}`)
    })
    bot.hears('start', (ctx) => ctx.enter(order))
    bot.tapped('yes', (ctx) => ctx.reply(`route ${ctx.message.tapped.id}, ${ctx.tap?.of?.id.length}`))
    bot.otherwise((ctx) => ctx.reply('otherwise'))
  }

  it('never answers another question that nobody has seen, however quick the second tap is', async () => {
    await using world = await openWorld(asking)
    await says(world, 'start')
    const [yes = ''] = await all(world)
    await forges(world, yes)
    expect((await world.replies()).at(-1)).toBe('And pay?')
    await forges(world, yes)
    expect((await world.replies()).at(-1)).toBe('route yes, 26')
    const [, no = ''] = await all(world)
    await forges(world, no)
    expect((await world.replies()).at(-1)).toBe('yes, no')
  })

  it('answers its question from each message that asks it, and is known after a restart', async () => {
    await using world = await openWorld(asking)
    await says(world, 'start')
    await says(world, 'perhaps')
    expect((await world.replies()).at(-1)).toBe('Yes or no?')
    const [, no = ''] = await all(world)
    await world.crash(asking)
    await forges(world, no)
    expect((await world.replies()).at(-1)).toBe('And pay?')
    await says(world, 'Yes')
    expect((await world.replies()).at(-1)).toBe('no, yes')
    await forges(world, no)
    expect((await world.replies()).at(-1)).toBe('otherwise')
  })

  it('answers with its plain id too, as phones have it from before', async () => {
    await using world = await openWorld(asking)
    await says(world, 'start')
    await forges(world, 'no')
    await forges(world, 'yes')
    expect((await world.replies()).at(-1)).toBe('no, yes')
  })

  it('of another customer is nobody’s option', async () => {
    await using world = await openWorld(asking)
    await says(world, 'start')
    await says(world, 'start', JUMA)
    const [yes = ''] = await all(world)
    await forges(world, yes, JUMA)
    expect((await world.replies(JUMA)).at(-1)).toBe('otherwise')
  })
})

describe('buttons with once', () => {
  const invoicing = (bot: BotOf) => {
    let sent = 0
    let failing = true
    bot.hears('invoice', (ctx) =>
      ctx.reply(
        buttons(
          'Send it?',
          [
            { id: 'send', title: 'Send' },
            { id: 'no', title: 'No' },
          ],
          { once: true, onUsed: (used) => used.reply(`already: ${used.message.tapped?.id}`) },
        ),
        { ref: 'invoice 7' },
      ),
    )
    bot.hears('quiet', (ctx) => ctx.reply(buttons('Send it?', [{ id: 'send', title: 'Send' }], { once: true })))
    bot.tapped('send', async (ctx) => {
      // An attempt that fails is not used up.
      if (failing) {
        failing = false
        throw new Error('again')
      }
      await ctx.reply(`sent ${++sent}, of ${ctx.tap?.of?.ref}`)
    })
    bot.otherwise((ctx) => ctx.reply(`otherwise ${ctx.tap === undefined}`))
  }

  it('take the first tap of a message, also if its handler has to run again, and each further one runs onUsed', async () => {
    await using world = await openWorld(invoicing)
    await says(world, 'invoice')
    await taps(world, 'send')
    expect((await world.replies()).at(-1)).toBe('sent 1, of invoice 7')
    await taps(world, 'send')
    await taps(world, 'no')
    expect((await world.replies()).slice(-2)).toEqual(['already: send', 'already: no'])
    await says(world, 'invoice')
    await taps(world, 'send')
    expect((await world.replies()).at(-1)).toBe('sent 2, of invoice 7')
    expect((await says(world, 'hello'), (await world.replies()).at(-1))).toBe('otherwise true')
  })

  it('run nothing at a second tap without onUsed, nor in another process', async () => {
    await using world = await openWorld(invoicing)
    for (const text of ['quiet', 'invoice']) {
      await says(world, text)
      await taps(world, 'send')
      if (text === 'invoice') await world.crash(invoicing)
      const before = await world.replies()
      await taps(world, 'send')
      expect(await world.replies()).toEqual(before)
    }
  })

  it('show a test the ids of the app, and a phone others', async () => {
    const bot = createBot() as Parameters<typeof invoicing>[0]
    invoicing(bot)
    await using s = await scenario(bot)
    const asha = s.customer(ASHA)
    const own = [
      { id: 'send', title: 'Send' },
      { id: 'no', title: 'No' },
    ]
    expect((await asha.says('invoice')).replies[0]?.options).toEqual(own)
    expect(asha.last?.options).toEqual(own)
    expect((await asha.taps('send')).text).toBe('sent 1, of invoice 7')
    await using world = await openWorld(invoicing)
    await says(world, 'invoice')
    expect((await all(world)).map(({ length }) => length)).toEqual([61, 61])
  })

  it('unsubscribe nobody whose tap a route takes, whatever they say', async () => {
    await using world = await openWorld((bot) => {
      optOuts(bot)
      bot.hears('alarm', (ctx) => ctx.reply(buttons('Stop it?', [{ id: 'halt', title: 'Stop' }], { once: true })))
      bot.tapped('halt', async (ctx) =>
        ctx.reply(`out: ${String((await ctx.to(ctx.customer).optedOut()) !== undefined)}`),
      )
    })
    await says(world, 'alarm')
    await taps(world, 'halt')
    expect((await world.replies()).at(-1)).toBe('out: false')
  })

  it.each([
    ['onUsed alone', { onUsed: () => {} }],
    ['once that is no boolean', { once: 'yes' as unknown as boolean }],
    ['onUsed that is no function', { once: true, onUsed: 'used' as unknown as () => void }],
  ])('refuse %s', (_, more) => {
    expect(() => buttons('Send it?', [{ id: 'send', title: 'Send' }], more)).toThrow(/^buttons\(\): /)
  })
})
