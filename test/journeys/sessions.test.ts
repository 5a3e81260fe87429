import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type BotOptions, GiveUp } from '../../src/bot/switchhook.ts'
import { says, turn } from '../support/turn.ts'
import { ASHA, JUMA, openWorld, type World } from '../support/virtual-world.ts'

type BotOf = Parameters<Parameters<typeof openWorld>[0]>[0]

const COUNT = z.object({ n: z.number().default(0), lang: z.enum(['sw', 'en']).default('sw') })

/** The session of a bot without types. */
// oxlint-disable-next-line typescript/no-explicit-any -- as above
const of = (ctx: { session: unknown }) => ctx.session as any

/** Says how many messages it has seen, and keeps that. */
const counting = (bot: BotOf) => {
  bot.otherwise((ctx) => ctx.reply(String(++of(ctx).n)))
}

const keeps = (session: NonNullable<BotOptions['session']>) => ({ options: { session } })

/** The stored session. */
async function kept(world: World, customer = ASHA, number = 'default'): Promise<unknown> {
  const found = (await world.store().customerOf(number, customer, 0)).session
  return found && JSON.parse(found.value)
}

describe('a session', () => {
  it('begins with the schema’s defaults, and keeps the handlers’ changes, even after a restart', async () => {
    await using world = await openWorld(counting, keeps(COUNT))
    for (const text of ['a', 'b']) await says(world, text)
    await world.restart(counting)
    await says(world, 'c')
    expect(await world.replies()).toEqual(['1', '2', '3'])
    expect(await kept(world)).toEqual({ n: 3, lang: 'sw' })
  })

  it('is shared by everything that runs for a message, and separate for each customer', async () => {
    await using world = await openWorld((bot) => {
      bot.use(async (ctx, next) => {
        of(ctx).n += 10
        await next()
        of(ctx).n += 1000
      })
      bot.hears(/./, async (ctx, next) => {
        ctx.session = { ...of(ctx), n: of(ctx).n + 100 }
        await next()
      })
      bot.otherwise((ctx) => ctx.reply(String(of(ctx).n)))
    }, keeps(COUNT))
    await says(world, 'hi')
    await says(world, 'hi', JUMA)
    expect([await world.replies(), await world.replies(JUMA)]).toEqual([['110'], ['110']])
    expect(await kept(world)).toMatchObject({ n: 1110 })
  })
})

describe('a session and a failing message', () => {
  it('stores nothing of a failed run: a rerun finds the session unchanged [F-47]', async () => {
    await using world = await openWorld((bot) => {
      bot.otherwise(async (ctx) => {
        of(ctx).n++
        if (ctx.attempt < 3) throw new Error('not yet')
        await ctx.reply(String(of(ctx).n))
      })
    }, keeps(COUNT))
    for (const text of ['a', 'b']) await says(world, text)
    expect(await world.replies()).toEqual(['1', '2'])
  })

  it('stores nothing of a message that is given up, nor onDead’s changes', async () => {
    await using world = await openWorld((bot) => {
      bot.hears('poison', (ctx) => {
        of(ctx).n = 50
        throw new GiveUp()
      })
      bot.onDead((_error, ctx) => {
        of(ctx).n = 60
      })
      counting(bot)
    }, keeps(COUNT))
    for (const text of ['a', 'poison', 'b']) await says(world, text)
    expect(await world.replies()).toEqual(['1', '2'])
  })
})

it('the time of a session is the service’s: the session begins again this long after its last change, and not earlier', async () => {
  await using world = await openWorld(
    (bot) => {
      bot.hears('look', (ctx) => ctx.reply(`has ${of(ctx).n}`))
      counting(bot)
    },
    keeps({ schema: COUNT, ttl: '30d' }),
  )
  await says(world, 'a')
  await world.emulator.clock.advance('29d')
  await says(world, 'b')
  await world.emulator.clock.advance('29d')
  await says(world, 'look')
  await world.emulator.clock.advance('2d')
  await says(world, 'c')
  expect(await world.replies()).toEqual(['1', '2', 'has 2', '1'])
})

describe('a session of another version', () => {
  const V2 = z.object({ count: z.number().default(0) })
  const counting2 = (bot: BotOf) => {
    bot.otherwise((ctx) => ctx.reply(`count ${++of(ctx).count}`))
  }

  /** A session of version 1 that counts to 1, and then the bot of version 2. */
  async function moved(session: NonNullable<BotOptions['session']>): Promise<World> {
    const options: BotOptions = { session: COUNT }
    const world = await openWorld(counting, { options })
    await says(world, 'a')
    options.session = session
    await world.restart(counting2)
    await says(world, 'b')
    return world
  }

  it.each([
    ['at once', (old: unknown, version: number) => ({ count: (old as { n: number }).n * 10 * version })],
    ['later', async (old: unknown, version: number) => ({ count: (old as { n: number }).n * 10 * version })],
  ])('is passed to migrate first, which may return %s', async (_when, migrate) => {
    await using world = await moved({ schema: V2, version: 2, migrate })
    await says(world, 'c')
    expect((await world.replies()).slice(1)).toEqual(['count 11', 'count 12'])
    expect(world.lines.filter(({ level }) => level === 'warn')).toEqual([])
  })

  it('begins again if it no longer fits, which is logged without its content', async () => {
    const strict = z.strictObject({ count: z.number().default(0) })
    await using world = await moved({ schema: strict, version: 2 })
    expect((await world.replies()).slice(1)).toEqual(['count 1'])
    const told = world.lines.filter(({ level }) => level === 'warn')
    expect(told).toEqual([{ level: 'warn', about: { version: 1 }, message: expect.stringContaining('begins again') }])
  })

  it('is kept if migrate fails: the message fails, and the session waits for the fix', async () => {
    const migrate = () => {
      throw new GiveUp('a bug in migrate')
    }
    await using world = await moved({ schema: V2, version: 2, migrate })
    expect((await world.counts()).items).toEqual({ done: 1, dead: 1 })
    expect(await kept(world)).toEqual({ n: 1, lang: 'sw' })
  })
})

describe('an invalid session', () => {
  it.each([
    ['has no defaults', z.object({ n: z.number() }), /give each member a default/],
    ['changes its own output', z.object({ n: z.string().default('7').transform(Number) }), /kept as JSON/],
  ])('a schema that %s is refused at the start, by name', async (_what, schema, message) => {
    await expect(openWorld(counting, keeps(schema))).rejects.toThrow(message)
  })

  it.each([
    ['a span that is none', { schema: COUNT, ttl: 'soon' }, 'session.ttl'],
    ['no schema', { ttl: '1d' }, 'session.schema'],
    ['a plain object', { n: 0 }, 'session.n'],
  ])('%s is refused by name', async (_what, session, name) => {
    await expect(openWorld(counting, keeps(session as never))).rejects.toThrow(name)
  })

  it.each([
    ['a big number', () => 7n],
    ['another type than its schema says', () => 'seven'],
  ])('%s is refused at the settlement: the message fails for good, and the session stays', async (_what, value) => {
    await using world = await openWorld((bot) => {
      bot.hears('break', async (ctx) => {
        await ctx.reply('said')
        of(ctx).n = value()
      })
      counting(bot)
    }, keeps(COUNT))
    for (const text of ['a', 'break', 'b']) await says(world, text)
    expect(await world.replies()).toEqual(['1', 'said', '2'])
    expect((await world.counts()).items).toEqual({ done: 2, dead: 1 })
    const dead = world.lines.find(({ message }) => message?.startsWith('dead letter'))
    expect(dead?.about).toMatchObject({ reason: expect.stringContaining('ctx.session cannot be kept as JSON') })
  })

  it('is reported without its content [F-87]', async () => {
    const schema = z.object({ pin: z.string().max(4).default('') })
    await using world = await openWorld((bot) => {
      bot.otherwise((ctx) => {
        of(ctx).pin = 'canary-of-a-pin'
      })
    }, keeps(schema))
    await turn(world, () => world.emulator.customer(ASHA).says('hi'))
    expect(JSON.stringify(world.lines)).not.toContain('canary')
  })
})
