import { describe, expect, it } from 'vitest'
import { GiveUp, routes } from '../../src/bot/switchhook.ts'
import { happens, says, turn } from '../support/turn.ts'
import { ASHA, openWorld } from '../support/virtual-world.ts'

type BotOf = Parameters<Parameters<typeof openWorld>[0]>[0]

const answers = (text: string) => (ctx: { reply(text: string): unknown }) => ctx.reply(text)
const passes = (seen: string[], name: string) => (_ctx: object, next: () => Promise<void>) => {
  seen.push(name)
  return next()
}
const fails = (error: unknown) => () => {
  throw error
}

describe('mounted routes', () => {
  it('count at the place where they are mounted, in the order of registration, and only the first match answers', async () => {
    await using world = await openWorld((bot) => {
      const orders = routes<typeof bot>()
      bot.hears(/order/, answers('before'))
      bot.use(orders)
      bot.hears(/track|pay/, answers('after'))
      orders.hears(/order|track/, answers('mounted'))
    })
    for (const text of ['order', 'track', 'pay']) await says(world, text)
    expect(await world.replies()).toEqual(['before', 'mounted', 'after'])
  })

  it('are tried in the order of registration, although whole words and ids are looked up and expressions are not', async () => {
    await using world = await openWorld((bot) => {
      bot.hears(/^ha/, answers('expression'))
      bot.hears('hat', answers('word'))
      bot.hears('shoes', answers('word'))
      bot.hears(/^sh/, answers('expression'))
    })
    for (const text of ['hat', 'shoes']) await says(world, text)
    expect(await world.replies()).toEqual(['expression', 'word'])
  })

  it('have their own otherwise, which runs before the surrounding one and after every other route', async () => {
    await using world = await openWorld((bot) => {
      const closed = routes<typeof bot>('closed')
      closed.otherwise((ctx, next) => (ctx.message.text === 'on' ? next() : ctx.reply('closed')))
      bot.otherwise(answers('open'))
      bot.use(closed)
      bot.hears('saa', answers('9 to 17'))
    })
    for (const text of ['saa', 'what?', 'on']) await says(world, text)
    expect(await world.replies()).toEqual(['9 to 17', 'closed', 'open'])
  })

  it('get only messages that satisfy their condition, which is evaluated once for each', async () => {
    const asked: string[] = []
    await using world = await openWorld((bot) => {
      const night = routes<typeof bot>('night')
      night.hears('hi', (_ctx, next) => next())
      night.received(answers('we sleep'))
      bot.route(({ message }) => {
        asked.push(message.text ?? '')
        return asked.length < 2
      }, night)
      bot.otherwise(answers('we are here'))
    })
    for (const text of ['hi', 'hi']) await says(world, text)
    expect(await world.replies()).toEqual(['we sleep', 'we are here'])
    expect(asked).toEqual(['hi', 'hi'])
  })

  it('may have routes of the same pattern under their own names, each with its own replies', async () => {
    await using world = await openWorld((bot) => {
      const first = routes<typeof bot>('first')
      const second = routes<typeof bot>('second')
      for (const [each, text] of [
        [first, 'one'],
        [second, 'two'],
      ] as const)
        each.hears('hi', async (ctx, next) => {
          await ctx.reply(text)
          await next()
        })
      bot.use(first).use(second)
    })
    await says(world, 'hi')
    expect(await world.replies()).toEqual(['one', 'two'])
  })

  it('include the members of with, and the middlewares before it, wherever they are mounted', async () => {
    const seen: string[] = []
    await using world = await openWorld((bot) => {
      const known = routes<typeof bot>()
        .use(passes(seen, 'before'))
        .with(({ customer }) => ({ called: customer === ASHA ? 'Asha' : 'you' }))
      known.hears('hi', (ctx) => ctx.reply(`Hello ${ctx.called}`))
      bot.use(known)
    })
    await says(world, 'hi')
    expect(await world.replies()).toEqual(['Hello Asha'])
    expect(seen).toEqual(['before'])
  })

  it('handle events like the bot’s own routes, each handler with its own progress', async () => {
    const heard: string[] = []
    await using world = await openWorld((bot) => {
      const one = routes<typeof bot>()
      const two = routes<typeof bot>()
      one.on('order.paid', () => void heard.push('one'))
      two.on('order.paid', ({ attempt }) => {
        heard.push('two')
        if (attempt === 1) throw new Error('again')
      })
      bot.use(one).use(two)
    })
    await turn(world, () => happens(world, 'order.paid', {}))
    expect(heard).toEqual(['one', 'two', 'two'])
  })
})

describe('an impossible registration', () => {
  it('is refused at the start if two mounted routes have one name, with that name and the fix', async () => {
    const register = (bot: BotOf) => {
      for (const text of ['a', 'b']) bot.use(routes<typeof bot>().hears('hi', answers(text)))
    }
    await expect(openWorld(register)).rejects.toMatchObject({
      code: 'options_invalid',
      message: expect.stringMatching(/two routes are called "hears:hi".*routes<typeof bot>\('name'\)/),
    })
  })

  it.each([
    ['Hours', ' hours '],
    ['Pokea', 'pókea'],
    [
      ['saa', 'masaa'],
      ['MASAA', 'Saa'],
    ],
  ])('is refused at the start if two routes match the same words: %j and %j, naming both', async (one, other) => {
    const register = (bot: BotOf) => void bot.hears(one, answers('one')).hears(other, answers('other'))
    await expect(openWorld(register)).rejects.toMatchObject({
      code: 'options_invalid',
      message: expect.stringContaining(
        `"hears:${[one].flat().join('|')}" and "hears:${[other].flat().join('|')}" match the same words`,
      ),
    })
  })

  it('is refused after the start, in mounted routes too, and allowed again after the stop', async () => {
    const late = routes()
    await using world = await openWorld((bot) => bot.use(late).otherwise(answers('hi')))
    for (const register of [
      () => world.bot.hears('late', () => {}),
      () => world.bot.otherwise(() => {}),
      () => world.bot.on('order.paid', () => {}),
      () => world.bot.use((_ctx, next) => next()),
      () => world.bot.with(() => ({})),
      () => world.bot.onError(() => {}),
      () => world.bot.onDead(() => {}),
      () => late.hears('late', () => {}),
    ])
      expect(register).toThrow(/register routes before start/)
    await world.bot.stop()
    late.hears('late', () => {})
  })
})

describe('a middleware', () => {
  it('runs once for a message, from the outside in, before the routes registered after it and before no others', async () => {
    const seen: string[] = []
    await using world = await openWorld((bot) => {
      const inner = routes<typeof bot>('inner')
      bot.hears('first', passes(seen, 'first'))
      bot.use(passes(seen, 'a'))
      bot.use(passes(seen, 'b'))
      inner.use(passes(seen, 'inner'))
      inner.hears(/./, passes(seen, 'route'))
      inner.hears(/.+/, passes(seen, 'another'))
      bot.use(inner)
      bot.otherwise((ctx) => {
        seen.push('otherwise')
        return ctx.reply('done')
      })
    })
    await says(world, 'first')
    expect(seen).toEqual(['first', 'a', 'b', 'inner', 'route', 'another', 'otherwise'])
    expect(await world.replies()).toEqual(['done'])
  })

  it('answers for all routes after it if it does not call next()', async () => {
    await using world = await openWorld((bot) => {
      bot.hears('hours', answers('9 to 17'))
      bot.use((ctx, next) => (ctx.message.text === 'stop' ? ctx.reply('As you wish') : next()))
      bot.otherwise(answers('otherwise'))
    })
    for (const text of ['hours', 'stop', 'hi']) await says(world, text)
    expect(await world.replies()).toEqual(['9 to 17', 'As you wish', 'otherwise'])
    expect((await world.counts()).items).toEqual({ done: 3 })
  })

  it('runs for a message without a matching route, and one that it answers counts as handled [R DEL-05]', async () => {
    const seen: unknown[] = []
    await using world = await openWorld((bot) => {
      bot.use((ctx, next) => {
        seen.push(ctx.message.text)
        return ctx.message.text === 'mine' ? undefined : next()
      })
      bot.hears('hi', () => {})
      bot.route(
        () => false,
        routes<typeof bot>('never').use(() => void seen.push('never')),
      )
    })
    for (const text of ['mine', 'nobody’s']) await says(world, text)
    expect(seen).toEqual(['mine', 'nobody’s'])
    expect((await world.counts()).items).toEqual({ done: 1, ignored: 1 })
  })

  it('has its own replies and once results, by its place among the middlewares [F-47]', async () => {
    const effects: string[] = []
    await using world = await openWorld((bot) => {
      for (const name of ['one', 'two'])
        bot.use(async (ctx, next) => {
          await ctx.reply(name)
          await ctx.once('effect', () => effects.push(name))
          await next()
        })
      bot.otherwise(async (ctx) => {
        await ctx.reply('route')
        await ctx.once('effect', () => effects.push('route'))
        if (ctx.attempt === 1) throw new Error('again')
      })
    })
    await says(world, 'hi')
    expect(await world.replies()).toEqual(['one', 'two', 'route'])
    expect(effects).toEqual(['one', 'two', 'route'])
  })
})

describe('the function of with', () => {
  it('is called once for a message, and not for messages that its routes do not match', async () => {
    const asked: unknown[] = []
    await using world = await openWorld((bot) => {
      const shop = bot.with(async ({ message }) => {
        asked.push(message.text)
        return { t: `(${message.text})` }
      })
      shop.hears(/hi/, async (ctx, next) => {
        await ctx.reply(ctx.t)
        await next()
      })
      shop.hears(/h/, async (ctx, next) => {
        await ctx.reply(`again ${ctx.t}`)
        await next()
      })
      bot.otherwise((ctx) => ctx.reply(`without ${'t' in ctx}`))
    })
    for (const text of ['hi', 'what']) await says(world, text)
    expect(await world.replies()).toEqual(['(hi)', 'again (hi)', 'without false', 'again (what)', 'without false'])
    expect(asked).toEqual(['hi', 'what'])
  })

  it('is available in onDead, which notifies the customer in their language', async () => {
    await using world = await openWorld((bot) => {
      const shop = bot.with(() => ({ sorry: 'Samahani' }))
      shop.otherwise(fails(new GiveUp()))
      shop.onDead((_error, ctx) => ctx.reply(ctx.sorry))
    })
    await says(world, 'hi')
    expect(await world.replies()).toEqual(['Samahani'])
  })
})

describe('an error boundary', () => {
  /** The boundaries with the errors that reached them. */
  async function heardOf(
    register: (
      bot: BotOf,
      hear: (name: string, verdict?: 'retry' | 'dead') => (error: unknown) => 'retry' | 'dead' | undefined,
    ) => void,
    attempts = 1,
  ): Promise<string[]> {
    const heard: string[] = []
    const hear = (name: string, verdict?: 'retry' | 'dead') => (error: unknown) => {
      heard.push(`${name}: ${(error as Error).message}`)
      return verdict
    }
    await using world = await openWorld((bot) => register(bot, hear), { options: { attempts: { max: attempts } } })
    await says(world, 'hi')
    expect((await world.counts()).items).toEqual({ dead: 1 })
    return heard
  }

  it('is consulted from the inside out, only in the failing route’s tables, until one decides', async () => {
    const heard = await heardOf((bot, hear) => {
      const inner = routes<typeof bot>('inner')
        .onError(hear('inner'))
        .hears('hi', fails(new Error('x')))
      const outer = routes<typeof bot>('outer').onError(hear('outer', 'dead')).use(inner)
      const other = routes<typeof bot>('other')
        .onError(hear('other'))
        .otherwise(() => {})
      bot.onError(hear('root')).use(other).use(outer)
    }, 8)
    expect(heard).toEqual(['inner: x', 'outer: x'])
  })
})
