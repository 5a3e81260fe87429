import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { optOuts } from '../../../src/features/comfort/comfort.ts'
import { type Bot, buttons, type Env, oneTimeCode, type Sender, template } from '../../../src/bot/switchhook.ts'
import { forges, says, taps } from '../../support/turn.ts'
import { ASHA, JUMA, openWorld } from '../../support/virtual-world.ts'

interface Session {
  lang: string
}
type Shop = Bot<Env & { session: Session }> & Sender<Session>

const session = z.object({ lang: z.string().default('sw') })

function routes(bot: Bot & Sender): void {
  const shop = bot as unknown as Shop
  optOuts(shop, { stopped: 'No more news.', started: 'News again.' })
  shop.hears('english', (ctx) => void (ctx.session.lang = 'en'))
  shop.otherwise((ctx) => ctx.reply('A reply.'))
}
const openShop = () => openWorld(routes, { options: { session } })
const senderOf = ({ bot }: Awaited<ReturnType<typeof openShop>>) => bot as unknown as Shop
const news = (key: string) => ({ key, kind: 'marketing' }) as const
const SKIPPED = { via: 'skipped', why: 'opted_out' }

describe('a customer who wrote STOP', () => {
  it('gets no marketing until START, and all other messages', async () => {
    await using world = await openShop()
    const asha = world.bot.to(ASHA)
    await says(world, 'hello')
    expect(await asha.send('News 1', news('n1'))).toMatchObject({ via: 'freeform' })
    await says(world, 'Stop')
    expect(await asha.send('News 2', news('n2'))).toEqual(SKIPPED)
    await asha.send('Your order is ready', { key: 'order' })
    await says(world, 'hello')
    await says(world, 'START!')
    expect(await asha.send('News 3', news('n3'))).toMatchObject({ via: 'freeform' })
    expect(await world.replies()).toEqual([
      'A reply.',
      'News 1',
      'No more news.',
      'Your order is ready',
      'A reply.',
      'News again.',
      'News 3',
    ])
  })

  it('is opted out also while a person has them, without an answer', async () => {
    await using world = await openShop()
    await world.bot.to(ASHA).handOver({ for: '8h' })
    await says(world, 'stop')
    expect(await senderOf(world).to(ASHA).optedOut()).toMatchObject({ how: 'message' })
    expect(await world.replies()).toEqual([])
  })

  it('is shown with the time and the way, also after a restart, and stays opted out when forgotten', async () => {
    await using world = await openShop()
    const before = world.now()
    await says(world, 'stop')
    await world.restart(routes)
    const found = await world.bot.to(ASHA).optedOut()
    expect(found?.how).toBe('message')
    expect(Math.abs((found?.at.getTime() ?? 0) - before)).toBeLessThan(60_000)
    await world.bot.to(ASHA).forget()
    await world.settled()
    expect(await world.bot.to(ASHA).send('News', news('n'))).toEqual(SKIPPED)
  })

  it('gets no marketing that was scheduled before', async () => {
    await using world = await openShop()
    await world.emulator.templates.add({ name: 'news', language: 'en', body: 'News' })
    await says(world, 'hello')
    for (const at of [undefined, '1h'] as const)
      await world.bot.to(ASHA).send(template('news', 'en'), { ...news(`n${at}`), wait: 'stored', ...(at && { at }) })
    await says(world, 'stop')
    await world.pass('2h')
    expect((await world.replies()).length).toBe(3)
    const { sends } = await world.counts()
    expect(sends).toEqual({ accepted: 3, skipped: 1 })
  })

  it('gets a one-time code, because they wait for it', async () => {
    await using world = await openShop()
    await world.emulator.templates.add({ name: 'login_code', language: 'sw', category: 'AUTHENTICATION' })
    await says(world, 'stop')
    await world.bot.to(ASHA).send(oneTimeCode('login_code', 'sw', '123456'), { key: 'login' })
    expect((await world.emulator.customer(ASHA).codes()).map(({ code }) => code)).toEqual(['123456'])
  })
})

it('an opt-out by the app counts as that of a customer, and says how', async () => {
  await using world = await openShop()
  await world.bot.to(`+${ASHA}`).optOut({ how: 'web form', at: new Date(world.now() - 1_000) })
  expect(await world.bot.to(ASHA).optedOut()).toEqual({ at: new Date(world.now() - 1_000), how: 'web form' })
  expect(await world.bot.to(ASHA).optIn({ how: 'web form', at: new Date(world.now() - 2_000) })).toBe(false)
  expect(await world.bot.to(ASHA).optIn({ how: 'web form' })).toBe(true)
  expect(await world.bot.to(ASHA).optedOut()).toBeUndefined()
})

describe('marketing', () => {
  it('is skipped while a person has the customer', async () => {
    await using world = await openShop()
    await says(world, 'hello')
    await world.bot.to(ASHA).handOver({ for: '1h' })
    expect(await world.bot.to(ASHA).send('News', news('n'))).toEqual({ via: 'skipped', why: 'taken_over' })
    expect(await world.bot.to(ASHA).send('Your order', { key: 'order' })).toMatchObject({ via: 'freeform' })
  })

  it('goes out as the template at once unless the window is known to be open', async () => {
    await using world = await openShop()
    await world.emulator.templates.add({ name: 'news', language: 'en', body: 'News' })
    await says(world, 'hello')
    const o = { outsideWindow: template('news', 'en') }
    expect(await world.bot.to(ASHA).send('News', { ...news('a'), ...o })).toMatchObject({ via: 'freeform' })
    expect(await world.bot.to(JUMA).send('News', { ...news('j'), ...o })).toMatchObject({ via: 'template' })
    expect((await world.thread(JUMA)).filter(({ refused }) => refused)).toEqual([])
  })
})

const out = async (world: Awaited<ReturnType<typeof openShop>>, customer = ASHA) =>
  (await senderOf(world).to(customer).optedOut()) !== undefined

describe('STOP', () => {
  it('counts from the commit that reads it, while an item before it is slow, and is confirmed once in its turn', async () => {
    const gate = Promise.withResolvers<void>()
    await using world = await openWorld((bot) => {
      optOuts(bot)
      bot.hears('slow', async (ctx) => {
        await gate.promise
        await ctx.reply('done')
      })
    })
    const asha = world.emulator.customer(ASHA)
    await asha.says('slow')
    await world.until(async () => (await world.counts()).items['running'] === 1)
    await asha.says('Stop.')
    await world.until(async () => out(world))
    expect(await world.bot.to(ASHA).send('News', news('n'))).toEqual(SKIPPED)
    expect(await world.replies()).toEqual([])
    gate.resolve()
    await world.settled()
    expect(await world.replies()).toEqual(['done', 'You are unsubscribed. Reply START to subscribe again.'])
  })

  it('comes before middleware, and is no answer to a question, which stays open', async () => {
    const passed: unknown[] = []
    await using world = await openWorld((bot) => {
      bot.use(async (ctx, next) => {
        passed.push(ctx.message.text)
        await next()
      })
      optOuts(bot, { stopped: 'Stopped.' })
      const ask = bot.conversation('ask', { version: 1, timeout: '1h' }, async (chat) => {
        await chat.say(`Hello ${await chat.ask('Name?', { tries: 1 })}`)
      })
      bot.hears('ask', (ctx) => ctx.enter(ask))
    })
    for (const text of ['ask', 'STOP', 'Asha']) await says(world, text)
    expect(await world.replies()).toEqual(['Name?', 'Stopped.', 'Hello Asha'])
    expect(passed).toEqual(['ask', 'Asha'])
  })

  it('is confirmed only if the customer was not out before, and once also if its attempt failed', async () => {
    let failing = 2
    await using world = await openWorld((bot) => {
      optOuts(bot, {
        stopped: () => {
          if (failing-- > 0) throw new Error('no words')
          return 'Stopped.'
        },
      })
    })
    await says(world, 'STOP')
    expect(await out(world)).toBe(true)
    await says(world, 'unsubscribe!')
    expect(await world.replies()).toEqual(['Stopped.'])
  })

  it('wins wherever it stands in a burst, whose other messages are handled after its confirmation', async () => {
    await using world = await openWorld(
      (bot) => {
        optOuts(bot, { stopped: 'Stopped.', started: 'Started.' })
        bot.otherwise((ctx) => ctx.reply(ctx.messages.map(({ text }) => text).join('+')))
      },
      { options: { burst: { quiet: '1500ms' } } },
    )
    const burst = async (...texts: string[]) => {
      await Promise.all(texts.map((text) => world.emulator.customer(ASHA).says(text)))
      await world.settled()
    }
    await burst('hello', 'Stop.', 'thanks')
    expect(await out(world)).toBe(true)
    await burst('start', 'hello')
    expect(await out(world)).toBe(false)
    await burst('STOP', 'stop please')
    expect(await world.replies()).toEqual(['Stopped.', 'hello+thanks', 'Started.', 'hello', 'Stopped.'])
  })

  it('of an option that an open question, or a route, takes is none; that of another option is one', async () => {
    await using world = await openWorld((bot) => {
      optOuts(bot, { stopped: 'Stopped.' })
      const ask = bot.conversation('ask', { version: 1, timeout: '1h' }, async (chat) => {
        const answer = await chat.ask(
          buttons('The machine?', [
            { id: 'halt', title: 'Stop' },
            { id: 'run', title: 'Run' },
          ]),
        )
        await chat.say(`Machine: ${answer}`)
      })
      bot.hears('ask', (ctx) => ctx.enter(ask))
      bot.hears('old', (ctx) => ctx.reply(buttons('Old', [{ id: 'a', title: 'Stop promotions' }])))
      bot.hears('routed', (ctx) => ctx.reply(buttons('Routed', [{ id: 'r:1', title: 'Stop' }])))
      bot.tapped('r:{n}', (ctx) => ctx.reply('Routed.'))
    })
    await says(world, 'routed')
    await taps(world, 'r:1')
    await says(world, 'old')
    await says(world, 'ask')
    await taps(world, 'halt')
    expect(await out(world)).toBe(false)
    await says(world, 'ask')
    await taps(world, 'a')
    expect(await out(world)).toBe(true)
    expect(await senderOf(world).to(ASHA).optedOut()).toMatchObject({ how: 'tap' })
    await taps(world, 'run')
    expect(await world.replies()).toEqual([
      'Routed',
      'Routed.',
      'Old',
      'The machine?',
      'Machine: halt',
      'The machine?',
      'Stopped.',
      'Machine: run',
    ])
  })

  it('of an option that answers the open question without naming its message is none', async () => {
    await using world = await openWorld((bot) => {
      optOuts(bot, { stopped: 'Stopped.' })
      const ask = bot.conversation('ask', { version: 1, timeout: '1h' }, async (chat) => {
        const answer = await chat.ask(
          buttons('The machine?', [
            { id: 'stop', title: 'Stop' },
            { id: 'run', title: 'Run' },
          ]),
        )
        await chat.say(`Machine: ${answer}`)
      })
      bot.hears('ask', (ctx) => ctx.enter(ask))
    })
    await says(world, 'ask')
    await forges(world, 'stop')
    expect(await world.replies()).toEqual(['The machine?', 'Machine: stop'])
    expect(await out(world)).toBe(false)
  })

  it('of a customer who is not sure is parked, and not confirmed', async () => {
    await using world = await openWorld((bot) => optOuts(bot, { stopped: 'Stopped.' }), {
      options: { replies: 'mapped' },
    })
    await says(world, 'STOP')
    expect((await world.counts()).items).toMatchObject({ parked: 1 })
    expect(await world.replies()).toEqual([])
  })
})
