import { describe, expect, it } from 'vitest'
import { GiveUp, routes } from '../../src/index.ts'
import type { Store } from '../../src/stores/port/index.ts'
import { openSqlite } from '../../src/stores/sqlite/index.ts'
import { happens, says, turn } from '../support/turn.ts'
import { ASHA, openWorld } from '../support/virtual-world.ts'
import { openWorld as openRealWorld } from '../support/world.ts'

type BotOf = Parameters<Parameters<typeof openWorld>[0]>[0]

const answers = (text: string) => (ctx: { reply(text: string): unknown }) => ctx.reply(text)
const passes = (seen: string[], name: string) => (_ctx: object, next: () => Promise<void>) => {
  seen.push(name)
  return next()
}
const fails = (error: unknown) => () => {
  throw error
}

describe('routes that are mounted', () => {
  it('stand where they are mounted, in the order of registration, and the first match alone answers', async () => {
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

  it('are tried in the order of registration, though whole words and ids are looked up and expressions are not', async () => {
    await using world = await openWorld((bot) => {
      bot.hears(/^ha/, answers('expression'))
      bot.hears('hat', answers('word'))
      bot.hears('shoes', answers('word'))
      bot.hears(/^sh/, answers('expression'))
    })
    for (const text of ['hat', 'shoes']) await says(world, text)
    expect(await world.replies()).toEqual(['expression', 'word'])
  })

  it('have an otherwise of their own, which comes before the one around them and after every other route', async () => {
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

  it('take the messages alone for which their condition holds, and it is asked once for each', async () => {
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

  it('may have routes of the same pattern under names of their own, each with its own replies', async () => {
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

  it('keep the predicates of two tables apart, though none of them has a name', async () => {
    await using world = await openWorld((bot) => {
      const more = bot.with(() => ({ more: 1 }))
      const isLong = (text: string) => text.length > 3
      more.hears(isLong, async (ctx, next) => {
        await ctx.reply('long')
        await next()
      })
      bot.hears(isLong, answers('long indeed'))
    })
    await says(world, 'habari')
    expect(await world.replies()).toEqual(['long', 'long indeed'])
  })

  it('bring what with adds, and the middlewares before it, wherever they are mounted', async () => {
    const seen: string[] = []
    await using world = await openWorld((bot) => {
      const known = routes<typeof bot>()
        .use(passes(seen, 'before'))
        .with(({ customer }) => ({ name: customer === ASHA ? 'Asha' : 'you' }))
      known.hears('hi', (ctx) => ctx.reply(`Hello ${ctx.name}`))
      bot.use(known)
    })
    await says(world, 'hi')
    expect(await world.replies()).toEqual(['Hello Asha'])
    expect(seen).toEqual(['before'])
  })

  it('take a log that with adds instead of the context’s own, if an app without types adds one', async () => {
    const lines: string[] = []
    const own = { log: { info: (line: string) => lines.push(line) } } as object
    await using world = await openWorld((bot) => {
      bot.with(() => own).hears('hi', (ctx) => ctx.log.info('from the app'))
    })
    await says(world, 'hi')
    expect(lines).toEqual(['from the app'])
  })

  it('hear events as the bot’s own routes do, each handler with progress of its own', async () => {
    const heard: string[] = []
    await using world = await openWorld((bot) => {
      const one = routes<typeof bot>()
      const two = routes<typeof bot>()
      one.on('order.paid', () => void heard.push('one'))
      two.on('order.paid', ({ attempt }) => {
        heard.push('two')
        if (attempt === 1) throw new Error('once more')
      })
      bot.use(one).use(two)
    })
    await turn(world, () => happens(world, 'order.paid', {}))
    expect(heard).toEqual(['one', 'two', 'two'])
  })
})

describe('what cannot work', () => {
  it('is refused at the start if two mounted routes have one name, by that name and with the mend', async () => {
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
  ])('is refused at the start if two routes hear the same words: %j and %j, naming both', async (one, other) => {
    const register = (bot: BotOf) => void bot.hears(one, answers('one')).hears(other, answers('other'))
    await expect(openWorld(register)).rejects.toMatchObject({
      code: 'options_invalid',
      message: expect.stringContaining(
        `"hears:${[one].flat().join('|')}" and "hears:${[other].flat().join('|')}" hear the same words`,
      ),
    })
  })

  it('is refused at the start if two tables have one name and one route', async () => {
    const register = (bot: BotOf) => {
      for (const text of ['a', 'b']) bot.use(routes<typeof bot>('closed').otherwise(answers(text)))
    }
    await expect(openWorld(register)).rejects.toThrow('"closed/otherwise"')
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
      expect(register).toThrow(/registered before start/)
    await world.bot.stop()
    late.hears('late', () => {})
  })

  it('may be mended after a start that failed', async () => {
    await using world = await openWorld((bot) => bot.otherwise(() => {}))
    await world.bot.stop()
    world.bot.use(routes().hears('hi', () => {})).hears('hi', () => {})
    await expect(world.bot.start()).rejects.toThrow('"hears:hi"')
    expect(() => world.bot.hears('more', () => {})).not.toThrow()
  })

  it('may be registered after a start that could not open the store', async () => {
    let opens = 0
    const open = (database: string): Store => {
      if (++opens === 2) throw new Error('the disk is full')
      return openSqlite(database)
    }
    await using world = await openRealWorld((bot) => bot.otherwise(() => {}), { internals: { open } })
    await world.bot.stop()
    await expect(world.bot.start()).rejects.toThrow('the disk is full')
    expect(() => world.bot.hears('more', () => {})).not.toThrow()
  })

  it('is refused if routes would contain themselves, even indirectly', async () => {
    await using world = await openWorld((bot) => {
      const a = routes<typeof bot>()
      const b = routes<typeof bot>()
      expect(() => a.use(a)).toThrow(expect.objectContaining({ code: 'options_invalid' }))
      a.use(b)
      expect(() => b.use(a)).toThrow('part of')
      expect(() => bot.use(bot.with(() => ({})))).toThrow('part of')
      expect(() => bot.use({})).toThrow('expected a middleware, or what routes() made')
    })
    expect(world.bot).toBeDefined()
  })
})

describe('a middleware', () => {
  it('runs once for a message, from the outside in, before the routes that stand after it and before no other', async () => {
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

  it('stands around what comes after it: what it does after next() comes last', async () => {
    const seen: string[] = []
    await using world = await openWorld((bot) => {
      bot.use(async (_ctx, next) => {
        seen.push('in')
        await next()
        seen.push('out')
      })
      bot.otherwise(() => void seen.push('route'))
    })
    await says(world, 'hi')
    expect(seen).toEqual(['in', 'route', 'out'])
  })

  it('answers for everything behind it if it does not call next()', async () => {
    await using world = await openWorld((bot) => {
      bot.hears('hours', answers('9 to 17'))
      bot.use((ctx, next) => (ctx.message.text === 'stop' ? ctx.reply('As you wish') : next()))
      bot.otherwise(answers('otherwise'))
    })
    for (const text of ['hours', 'stop', 'hi']) await says(world, text)
    expect(await world.replies()).toEqual(['9 to 17', 'As you wish', 'otherwise'])
    expect((await world.counts()).items).toEqual({ done: 3 })
  })

  it('hears of a message that no route takes, and what it keeps to itself is handled [R DEL-05]', async () => {
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

  it('goes on once, however often it calls next()', async () => {
    const runs: string[] = []
    await using world = await openWorld((bot) => {
      bot.use(async (_ctx, next) => {
        await Promise.all([next(), next()])
        await next()
      })
      bot.hears('hi', async (_ctx, next) => {
        runs.push('route')
        await next()
        await next()
      })
      bot.hears(/h/, () => void runs.push('the next one'))
      bot.otherwise(() => void runs.push('otherwise'))
    })
    await says(world, 'hi')
    expect(runs).toEqual(['route', 'the next one'])
  })

  it('may forget to wait for next(): what comes after it is waited for, and its failure is the attempt’s', async () => {
    const attempts: number[] = []
    await using world = await openWorld((bot) => {
      bot.use((_ctx, next) => void next())
      bot.otherwise(async (ctx) => {
        await ctx.reply('hi')
        attempts.push(ctx.attempt)
        if (ctx.attempt === 1) throw new Error('unseen')
      })
    })
    await says(world, 'hi')
    expect(attempts).toEqual([1, 2])
    expect(await world.replies()).toEqual(['hi'])
    expect((await world.counts()).items).toEqual({ done: 1 })
  })

  it('has replies and once results of its own, by its place among the middlewares [F-47]', async () => {
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

describe('what with adds', () => {
  it('is asked for once for a message, and for none that its routes do not take', async () => {
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

  it('adds up if one stands in another, and middlewares in between see it', async () => {
    await using world = await openWorld((bot) => {
      const a = bot.with(() => ({ a: 1 }))
      a.use((ctx, next) => ctx.reply(`in between ${ctx.a}`).then(next))
      const b = a.with((ctx) => ({ b: ctx.a + 1 }))
      b.otherwise((ctx) => ctx.reply(`${ctx.a} ${ctx.b}`))
    })
    await says(world, 'hi')
    expect(await world.replies()).toEqual(['in between 1', '1 2'])
  })

  it('is there for onDead, which tells the customer in the customer’s own language', async () => {
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

  it('is asked from the inside out, of the failing route’s tables alone, until one decides', async () => {
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

  it('is the middleware’s own if the middleware fails, before next() and after it', async () => {
    for (const late of [false, true]) {
      const heard = await heardOf((bot, hear) => {
        bot.onError(hear('root'))
        bot.use(async (_ctx, next) => {
          if (late) await next()
          throw new Error('in the middleware')
        })
        bot.use(
          routes<typeof bot>('inner')
            .onError(hear('inner'))
            .otherwise(() => {}),
        )
      })
      expect(heard).toEqual(['root: in the middleware'])
    }
  })

  it('is the inner route’s if the error comes out of next(), and the outer one’s if that throws one of its own', async () => {
    const register = (own: boolean) => (bot: BotOf, hear: (name: string) => (error: unknown) => undefined) => {
      bot.onError(hear('root'))
      bot.use(
        routes<typeof bot>('outer')
          .onError(hear('outer'))
          .hears('hi', (_ctx, next) =>
            own
              ? next().catch(() => {
                  throw new Error('own')
                })
              : next(),
          ),
      )
      bot.use(
        routes<typeof bot>('inner')
          .onError(hear('inner'))
          .otherwise(fails(new Error('x'))),
      )
    }
    expect(await heardOf(register(false) as never)).toEqual(['inner: x', 'root: x'])
    expect(await heardOf(register(true) as never)).toEqual(['outer: own', 'root: own'])
  })

  it('is the route’s that began what failed unseen', async () => {
    const heard = await heardOf((bot, hear) => {
      bot.onError(hear('root')).use((_ctx, next) => next())
      bot.use(
        routes<typeof bot>('inner')
          .onError(hear('inner'))
          .otherwise((ctx) => void ctx.once('x', fails(new Error('unseen')))),
      )
    })
    expect(heard).toEqual(['inner: unseen', 'root: unseen'])
  })

  it('is the route’s that hangs when its deadline comes', async () => {
    const heard: string[] = []
    await using world = await openRealWorld(
      (bot) => {
        const slow = routes<typeof bot>('slow')
        slow.onError(() => void heard.push('slow'))
        slow.otherwise(() => new Promise(() => {}))
        bot.onError(() => void heard.push('root')).use(slow)
      },
      { options: { attempts: { deadline: 60, max: 1 } } },
    )
    await says(world, 'hi')
    expect(heard).toEqual(['slow', 'root'])
  })

  it('is the middleware’s own that hangs after next() came back', async () => {
    const heard: string[] = []
    await using world = await openRealWorld(
      (bot) => {
        bot.onError(() => void heard.push('root'))
        bot.use(async (_ctx, next) => {
          await next()
          await new Promise(() => {})
        })
        bot.use(
          routes<typeof bot>('inner')
            .onError(() => void heard.push('inner'))
            .otherwise(() => {}),
        )
      },
      { options: { attempts: { deadline: 60, max: 1 } } },
    )
    await says(world, 'hi')
    expect(heard).toEqual(['root'])
  })

  it('hears of vars that could not be had, in the routes that with made', async () => {
    const heard = await heardOf((bot, hear) => {
      const shop = bot.with((): object => {
        throw new Error('no database')
      })
      shop.onError(hear('shop')).otherwise(() => {})
      bot.onError(hear('root'))
    })
    expect(heard).toEqual(['shop: no database', 'root: no database'])
  })

  it('asks the boundaries around it if it fails itself, and runs onDead wherever one is registered', async () => {
    await using world = await openWorld((bot) => {
      const shop = bot.with((): { t: string } => {
        throw new GiveUp('no database')
      })
      shop.otherwise(() => {})
      shop.onError(fails(new Error('in onError')))
      shop.onDead((_error, ctx) => ctx.reply(ctx.t))
      bot.onDead((_error, ctx) => ctx.reply('Sorry'))
    })
    await says(world, 'hi')
    expect(await world.replies()).toEqual(['Sorry'])
    const told = world.lines.filter(({ level }) => level === 'error').map(({ message }) => message)
    expect(told).toEqual(
      expect.arrayContaining([expect.stringContaining('onError#1 failed'), expect.stringContaining('onDead#2 failed')]),
    )
  })

  it('sends what each of its handlers sends to somebody else, even if nobody waits for it', async () => {
    const boss = '255712000177'
    await using world = await openWorld((bot) => {
      bot.hears('open the window', () => {})
      bot.otherwise(fails(new GiveUp('x')))
      for (const name of ['first', 'second']) bot.onError((_error, ctx) => void ctx.to(boss).send(`${name} heard`, {}))
    })
    await says(world, 'open the window', boss)
    await says(world, 'hi')
    expect(new Set(await world.replies(boss))).toEqual(new Set(['first heard', 'second heard']))
  })
})

describe('the routes behind the one that answers', () => {
  it('are not asked: what is wrong with their pattern costs nothing', async () => {
    await using world = await openWorld((bot) => {
      bot.hears('hi', answers('hello'))
      bot.hears(fails(new Error('a predicate with a bug')), () => {})
    })
    await says(world, 'hi')
    expect(await world.replies()).toEqual(['hello'])
  })
})
