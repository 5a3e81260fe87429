import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { GiveUp, RetryIn } from '../../src/bot/switchhook.ts'
import { ASHA, openWorld } from '../support/virtual-world.ts'

describe('once', () => {
  it('returns its first result to every rerun, and runs the effect once [F-47]', async () => {
    let orders = 0
    const seen: unknown[] = []
    await using world = await openWorld((bot) =>
      bot.otherwise(async (ctx) => {
        const order = await ctx.once('order', () => ({
          id: ++orders,
          at: '1970-01-01T00:00:00.000Z',
          nothing: undefined,
        }))
        seen.push(order)
        if (ctx.attempt < 3) throw new Error('after it')
        await ctx.reply(`order ${order.id}`)
      }),
    )
    await world.emulator.customer(ASHA).says('hi')
    await world.until(async () => (await world.replies()).length === 1)
    expect(orders).toBe(1)
    const first = { id: 1, at: '1970-01-01T00:00:00.000Z' }
    expect(seen).toEqual([first, first, first])
    expect(await world.replies()).toEqual(['order 1'])
  })

  it('does not run an effect again whose result cannot be stored: it is a dead letter at once, with advice [F-47]', async () => {
    let charged = 0
    await using world = await openWorld((bot) =>
      bot.otherwise(async (ctx) => {
        await ctx.once('charge', () => {
          charged++
          const response: { request?: unknown } = {}
          response.request = { response }
          return response
        })
      }),
    )
    await world.emulator.customer(ASHA).says('hi')
    await world.until(async () => (await world.counts()).items['dead'] === 1)
    expect(charged).toBe(1)
    const told = JSON.stringify(world.lines.filter(({ level }) => level === 'error'))
    expect(told).toMatch(/charge.*cannot be stored as JSON/)
  })
})

it('a value that JSON would change is refused with its path: as a result of once, and in a session', async () => {
  const anything = { '~standard': { version: 1 as const, vendor: 'test', validate: (value: unknown) => ({ value }) } }
  await using world = await openWorld(
    (bot) => {
      bot.hears('once', (ctx) => ctx.once('visit', () => ({ visits: [{ at: new Date(0) }] })))
      bot.otherwise((ctx) => void ((ctx.session as { seen?: unknown }).seen = new Map([['a', 1]])))
    },
    { options: { session: anything } },
  )
  for (const [nth, text] of ['once', 'session'].entries()) {
    await world.emulator.customer(ASHA).says(text)
    await world.until(async () => (await world.counts()).items['dead'] === nth + 1)
  }
  const told = JSON.stringify(world.lines.filter(({ level }) => level === 'error'))
  expect(told).toMatch(/visits\[0\]\.at is a Date/)
  expect(told).toMatch(/seen is a Map/)
})

it('a handler that throws RetryIn is run again after its span, within the limits', async () => {
  const attempts: number[] = []
  await using world = await openWorld(
    (bot) =>
      bot.otherwise((ctx) => {
        attempts.push(ctx.attempt)
        throw new RetryIn('20ms', 'the shop is closed')
      }),
    { options: { attempts: { max: 3 } } },
  )
  await world.emulator.customer(ASHA).says('hi')
  await world.until(async () => (await world.counts()).items['dead'] === 1)
  expect(attempts).toEqual([1, 2, 3])
  expect(() => new RetryIn('soon' as '1s')).toThrow(expect.objectContaining({ code: 'options_invalid' }))
})

describe('what an app decides about failures', () => {
  it('receives each failed attempt in onError, and may end it or have it retried', async () => {
    const heard: unknown[] = []
    await using world = await openWorld((bot) => {
      bot.hears('dead', () => {
        throw new TypeError('a bug')
      })
      bot.hears('retry', async (ctx) => {
        if (ctx.attempt === 1) throw new GiveUp()
        await ctx.reply('after all')
      })
      bot.onError((error, ctx) => {
        heard.push([(error as Error).name, ctx.attempt])
        return error instanceof TypeError ? 'dead' : undefined
      })
      bot.onError((error) => (error instanceof GiveUp ? undefined : 'retry'))
    })
    await world.emulator.customer(ASHA).says('dead')
    await world.until(async () => (await world.counts()).items['dead'] === 1)
    await world.emulator.customer(ASHA).says('retry')
    await world.until(async () => (await world.counts()).items['dead'] === 2)
    expect(heard).toEqual([
      ['TypeError', 1],
      ['GiveUp', 1],
    ])
  })

  it('notifies the customer once in onDead, only after the last attempt', async () => {
    const attempts: number[] = []
    await using world = await openWorld(
      (bot) => {
        bot.otherwise(async (ctx) => {
          attempts.push(ctx.attempt)
          await ctx.reply('working on it')
          throw new Error('always')
        })
        bot.onDead((error, ctx) => ctx.reply(`Sorry: ${(error as Error).message}`))
      },
      { options: { attempts: { max: 3 } } },
    )
    await world.emulator.customer(ASHA).says('hi')
    await world.until(async () => (await world.counts()).items['dead'] === 1)
    await world.settled()
    expect(attempts).toEqual([1, 2, 3])
    expect(await world.replies()).toEqual(['working on it', 'Sorry: always'])
  })

  it('releases the attempt if the bot stops while onDead runs: it dies after the restart, and onDead runs once', async () => {
    let told = 0
    const attempts: number[] = []
    const register = (hangs: boolean) => (bot: Parameters<Parameters<typeof openWorld>[0]>[0]) => {
      bot.otherwise((ctx) => {
        attempts.push(ctx.attempt)
        throw new GiveUp('for good')
      })
      bot.onDead(async (_error, ctx) => {
        told++
        if (hangs) await new Promise(() => {})
        await ctx.reply('Sorry')
      })
    }
    await using world = await openWorld(register(true))
    await world.emulator.customer(ASHA).says('hi')
    await world.until(() => told === 1)
    await world.restart(register(false))
    await world.until(async () => (await world.counts()).items['dead'] === 1)
    expect(attempts).toEqual([1, 1])
    expect(await world.replies()).toEqual(['Sorry'])
    expect(world.lines.filter(({ message }) => message?.includes('failed itself'))).toEqual([])
  })
})

it('the log of a handler is a child of the app’s own, with delivery, attempt and an irreversible name for the customer [F-87]', async () => {
  const written: string[] = []
  const logger = pino({ level: 'debug' }, { write: (line: string) => void written.push(line) })
  await using world = await openWorld(
    (bot) =>
      bot.otherwise((ctx) => {
        ctx.log.info({ own: 1 }, 'in the handler')
      }),
    { options: { logger } },
  )
  for (const text of ['one', 'two']) await world.emulator.customer(ASHA).says(text)
  await world.until(() => written.filter((line) => line.includes('in the handler')).length === 2)
  const lines = written.filter((line) => line.includes('in the handler')).map((line) => JSON.parse(line) as object)
  expect(lines[0]).toMatchObject({ own: 1, attempt: 1, delivery: expect.any(String), customer: expect.any(String) })
  const [first, second] = lines as { customer: string }[]
  expect(first?.customer).toBe(second?.customer)
  expect(written.join('')).not.toContain(ASHA)
})
