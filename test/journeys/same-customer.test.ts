import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { buttons, tap, template } from '../../src/bot/switchhook.ts'
import { brazil, optOuts } from '../../src/features/comfort/comfort.ts'
import { happens, says, taps } from '../support/turn.ts'
import { openWorld, type World } from '../support/virtual-world.ts'

/** One phone: the number with its ninth digit, and as the platform may write it. */
const NINE = '5511987654321'
const EIGHT = '551187654321'
const options = { sameCustomer: brazil, session: z.object({ count: z.number().default(0) }) }

type BotOf = Parameters<Parameters<typeof openWorld>[0]>[0]

/** Counts in the session, and names the customer. */
const counting = (bot: BotOf) =>
  bot.hears('count', (ctx) => {
    const session = ctx.session as { count: number }
    session.count++
    return ctx.reply(`${ctx.customer} ${session.count}`)
  })

const seen = async (world: World) => [await world.replies(NINE), await world.replies(EIGHT)]

describe('one customer with two spellings of a number', () => {
  it('has one session, and each answer goes to the spelling in which the customer wrote [F-74]', async () => {
    await using world = await openWorld(counting, { options })
    await says(world, 'count', EIGHT)
    await says(world, 'count', NINE)
    await says(world, 'count', EIGHT)
    expect(await seen(world)).toEqual([[`${NINE} 2`], [`${NINE} 1`, `${NINE} 3`]])
  })

  it('is two customers without the rule', async () => {
    await using world = await openWorld(counting, { options: { session: options.session } })
    await says(world, 'count', EIGHT)
    await says(world, 'count', NINE)
    expect(await seen(world)).toEqual([[`${NINE} 1`], [`${EIGHT} 1`]])
  })

  it('answers an open question from either spelling', async () => {
    await using world = await openWorld(
      (bot) => {
        const Name = bot.conversation('name', { version: 1, timeout: '1h' }, async (chat) => {
          const name = await chat.ask('Your name?')
          await chat.say(`Hello ${name}`)
        })
        bot.hears('start', (ctx) => ctx.enter(Name))
        bot.otherwise((ctx) => ctx.reply('otherwise'))
      },
      { options },
    )
    await says(world, 'start', NINE)
    await says(world, 'Ana', EIGHT)
    expect(await seen(world)).toEqual([['Your name?'], ['Hello Ana']])
  })

  it('gets a notification where the customer last wrote, once under its key, whatever the app calls the number', async () => {
    await using world = await openWorld(counting, { options })
    await says(world, 'count', NINE)
    await world.bot.to(EIGHT).send('Ready', { key: 'ready' })
    await world.bot.to(NINE).send('Ready', { key: 'ready' })
    await world.bot.to(`+${EIGHT}`).send('Ready', { key: 'ready' })
    await world.settled()
    expect(await seen(world)).toEqual([[`${NINE} 1`, 'Ready'], []])
  })

  it('goes to the spelling of the app before the customer has written, and a scheduled one to where they wrote since', async () => {
    await using world = await openWorld(counting, { options })
    await world.emulator.templates.add({ name: 'ready', language: 'en', body: 'Ready' })
    await world.bot.to(EIGHT).send(template('ready', 'en'), { key: 'now' })
    await world.bot.to(EIGHT).send(template('ready', 'en'), { key: 'later', at: new Date(world.now() + 3_600_000) })
    await world.settled()
    expect((await seen(world)).map(({ length }) => length)).toEqual([0, 1])
    await says(world, 'count', NINE)
    await world.pass('2h')
    expect((await seen(world)).map(({ length }) => length)).toEqual([2, 1])
  })

  it('is in an announcement once, opts out for both, and opts in again', async () => {
    await using world = await openWorld(
      (bot) => {
        optOuts(bot, { stopped: 'You are out.', started: 'You are in.' })
        counting(bot)
      },
      { options },
    )
    const news = template('news', 'en')
    await world.emulator.templates.add({ name: 'news', language: 'en', body: 'News' })
    const announce = async (key: string, ...to: readonly string[]) => {
      const job = await world.bot.announce(key, to, news)
      await world.pass('1m')
      return job.progress()
    }
    expect(await announce('one', EIGHT, NINE)).toMatchObject({ total: 1, delivered: 1 })
    expect((await seen(world)).map(({ length }) => length)).toEqual([0, 1])
    await says(world, 'STOP', NINE)
    expect(await announce('two', EIGHT)).toMatchObject({ total: 1, skipped: 1 })
    await world.bot.to(EIGHT).forget()
    await world.settled()
    expect(await announce('three', EIGHT)).toMatchObject({ total: 1, skipped: 1 })
    expect(await world.bot.to(NINE).optedOut()).toBeDefined()
    await says(world, 'START', EIGHT)
    expect(await announce('four', NINE)).toMatchObject({ total: 1, delivered: 1 })
  })

  it('rests for both while a person has the customer, and has one history', async () => {
    const said: unknown[] = []
    await using world = await openWorld(
      (bot) => {
        counting(bot)
        bot.hears('history', async (ctx) => void said.push((await ctx.history()).map(({ text }) => text)))
      },
      { options },
    )
    await says(world, 'count', EIGHT)
    await world.bot.to(NINE).handOver({ for: '1h' })
    await says(world, 'count', EIGHT)
    await world.bot.to(EIGHT).resume()
    await says(world, 'history', NINE)
    expect(said).toEqual([['count', `${NINE} 1`, 'count', 'history']])
  })

  it('is forgotten whichever spelling the app names', async () => {
    await using world = await openWorld(counting, { options })
    await says(world, 'count', EIGHT)
    await says(world, 'count', NINE)
    await world.bot.to(EIGHT).forget()
    await world.settled()
    const rows = await world.rows()
    expect([rows.includes(EIGHT), rows.includes(NINE)]).toEqual([false, false])
    await says(world, 'count', NINE)
    expect((await world.replies(NINE)).at(-1)).toBe(`${NINE} 1`)
  })

  it('may tap what was signed for the other spelling', async () => {
    const Order = tap('order', z.object({ id: z.string() }))
    const shop = (bot: BotOf) => {
      bot.hears('menu', (ctx) => ctx.reply(buttons('Order', [Order.option('Track', { id: '7' })])))
      bot.tapped(Order, (ctx) => ctx.reply(`order ${ctx.params.id}`), { stale: (ctx) => ctx.reply('stale') })
    }
    await using world = await openWorld(shop, { options })
    await says(world, 'menu', EIGHT)
    await taps(world, await offered(world, EIGHT), EIGHT)
    expect((await world.replies(EIGHT)).at(-1)).toBe('order 7')
  })

  it.each([
    ['is no conflict with it', { sameCustomer: brazil }, 'done'],
    ['is another customer without the rule, so the message is parked', {}, 'parked'],
  ])('at two places of a payload %s', async (_, given, state) => {
    await using world = await openWorld((bot) => bot.otherwise((ctx) => ctx.reply('hello')), { options: given })
    await happens(world, 'message.received', {
      event: 'message.received',
      data: {
        id: 'm1',
        message_type: 'text',
        content: 'hi',
        from: NINE,
        customer: { phone: EIGHT },
        created_at: new Date(world.now()).toISOString(),
      },
    })
    await world.settled()
    // The emulator knows of no message, and refuses the reply of the one that is handled.
    const { items } = await world.counts()
    expect(items[state] ?? items['dead']).toBe(1)
    expect(items['parked'] ?? 0).toBe(state === 'parked' ? 1 : 0)
  })

  it('refuses to start over customers of another rule', async () => {
    await using world = await openWorld(counting, { options })
    await says(world, 'count', EIGHT)
    expect((await world.read("SELECT value FROM meta WHERE name = 'same_customer'")).length).toBe(1)
    await world.restart(counting)
    await says(world, 'count', NINE)
    expect((await world.replies(NINE)).at(-1)).toBe(`${NINE} 2`)
  })
})

/** The id of the only button that the phone shows. */
async function offered(world: World, customer: string): Promise<string> {
  const thread = (await world.thread(customer)) as readonly { interactive?: { buttons?: readonly { id: string }[] } }[]
  return thread.flatMap(({ interactive }) => interactive?.buttons ?? [])[0]?.id ?? 'nothing'
}
