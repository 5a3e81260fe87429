import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Bot, type Duration, type Sender, createBot } from '../../src/bot/switchhook.ts'
import { ASHA, JUMA, openWorld, type World } from '../support/virtual-world.ts'

/** A bot that asks before the window closes, and answers nothing else. */
const asking =
  (before: Duration = '1h') =>
  (bot: Bot & Sender) => {
    bot.otherwise(() => {})
    bot.onWindowClosing(before, (ctx) => ctx.reply(`still there, ${ctx.customer}? ${ctx.event.name}`))
  }

async function written(world: World, customer = ASHA): Promise<void> {
  await world.emulator.customer(customer).says('habari')
  await world.settled()
}

async function timers(world: World): Promise<string[]> {
  const of = (customer: string) => world.store().timersOf({ number: 'default', customer })
  return [...(await of(ASHA)), ...(await of(JUMA))].map(({ customer }) => customer)
}

const ASKED = `still there, ${ASHA}? window.closing`

describe('a window that is about to close', () => {
  it('runs the handler this long before, once and not earlier [B GEN-04, F-65]', async () => {
    await using world = await openWorld(asking())
    await written(world)
    await world.pass('22h59m')
    expect(await world.replies()).toEqual([])
    await world.pass('2m')
    expect(await world.replies()).toEqual([ASKED])
    await world.pass('5h')
    expect(await world.replies()).toEqual([ASKED])
    expect(await timers(world)).toEqual([])
  })

  it('does not run it after a new message of the customer, whose own window ends later [B GEN-04]', async () => {
    await using world = await openWorld(asking())
    await written(world)
    await written(world, JUMA)
    await world.pass('20h')
    await written(world)
    await world.pass('4h')
    expect(await world.replies()).toEqual([])
    expect(await world.replies(JUMA)).toHaveLength(1)
    await world.pass('20h')
    expect(await world.replies()).toEqual([ASKED])
  })

  it('does not run it once the window has closed, for example while no process ran [B GEN-04]', async () => {
    await using world = await openWorld(asking())
    await written(world)
    await world.emulator.clock.advance('25h')
    await written(world, JUMA)
    await world.pass('2s')
    expect(await world.replies()).toEqual([])
    expect(await timers(world)).toEqual([JUMA])
    expect(await world.counts()).toMatchObject({ items: { ignored: 1 } })
  })

  it('runs it again if it failed, with its session unchanged, and its reply goes out once [F-55]', async () => {
    const seen: unknown[] = []
    const bot = createBot({ session: z.object({ asked: z.number().default(0) }) })
    await using world = await openWorld(
      (given) => {
        const typed = given as unknown as typeof bot
        typed.otherwise((ctx) => void seen.push(ctx.session.asked))
        typed.onWindowClosing('1h', async (ctx) => {
          seen.push(ctx.session.asked)
          ctx.session.asked++
          await ctx.reply('asked')
          if (ctx.attempt === 1) throw new Error('the shop is down')
        })
      },
      { options: { session: z.object({ asked: z.number().default(0) }) } },
    )
    await written(world)
    await world.pass('23h5m')
    await written(world)
    expect(seen).toEqual([0, 0, 0, 1])
    expect(await world.replies()).toEqual(['asked'])
  })
})
