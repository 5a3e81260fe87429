import { beforeEach, describe, expect, it } from 'vitest'
import { type Bot, type FailedSendContext, oneTimeCode, OutsideWindow, type Sender } from '../../src/bot/switchhook.ts'
import { ASHA, openWorld, type World } from '../support/virtual-world.ts'

/** The failures that the handlers of one test heard. */
let heard: { state: string; ref: string | undefined; code: string | undefined; reason: string }[]
beforeEach(() => {
  heard = []
})

/** A bot that notes which sends it hears of, and does what else is asked. */
function listening(more: (ctx: FailedSendContext) => unknown = () => {}, silent = false) {
  return (bot: Bot & Sender) => {
    bot.otherwise(() => {})
    if (!silent)
      bot.onSendFailed((ctx) => {
        heard.push({ state: ctx.send.state, ref: ctx.send.ref, code: ctx.code, reason: ctx.reason })
        return more(ctx)
      })
  }
}

async function open(...given: Parameters<typeof openWorld>): Promise<World> {
  const world = await openWorld(...given)
  await world.emulator.customer(ASHA).says('habari')
  await world.settled()
  return world
}

const refuse = (world: World, next: number) =>
  world.emulator.faults.set([{ on: 'send', do: 'status', status: 422, next }])

const stored = (world: World, key: string) =>
  world.bot.to(ASHA).send('ready', { key, ref: `order ${key}`, wait: 'stored' })

describe('a send that fails when nobody waits for it', () => {
  it('is reported once, with its reference, code and reason, if it was only stored [R ERR-01, F-107]', async () => {
    await using world = await open(listening())
    await refuse(world, 1)
    await stored(world, '1')
    await world.settled()
    await world.pass('1h')
    expect(heard).toEqual([
      {
        state: 'refused',
        ref: 'order 1',
        code: 'validation_error',
        reason: expect.stringContaining('validation_error'),
      },
    ])
  })

  it('is reported to the rerun if the process ends while a handler waits in a reply [F-65, F-107]', async () => {
    const errors: unknown[] = []
    const routes = (bot: Bot & Sender) => {
      bot.otherwise((ctx) => ctx.reply('hi').catch((error: { code: string }) => void errors.push(error.code)))
      bot.onSendFailed(
        (ctx) => void heard.push({ state: ctx.send.state, ref: ctx.send.ref, code: ctx.code, reason: '' }),
      )
    }
    await using world = await openWorld(routes)
    await world.emulator.faults.set([{ on: 'send', do: 'status', status: 429, next: 2 }])
    await world.emulator.customer(ASHA).says('habari')
    await world.until(async () => (await world.counts()).sends['ready'] === 1)
    await refuse(world, 9)
    await world.restart(routes)
    await world.pass('5m')
    expect([errors.at(-1), heard]).toEqual(['validation_error', []])
  })

  it('is reported if its outcome stays unknown, and not again once somebody settles it [F-71, F-107]', async () => {
    await using world = await open(listening(), { options: { onUnknown: 'hold' } })
    await world.emulator.faults.set([{ on: 'send', do: 'lose_answer', next: 1 }])
    const sent = await world.bot.to(ASHA).send('ready', { key: 'k', ref: 'r' })
    expect(sent).toMatchObject({ via: 'stored', send: { state: 'unknown' } })
    await world.settled()
    expect(heard).toMatchObject([{ state: 'unknown', ref: 'r' }])
    const [send] = (await world.store().listSends({ limit: 1 })).sends
    await world.store().resolveSend(send?.id ?? '', 'drop', world.now())
    await world.pass('1h')
    expect(heard).toHaveLength(1)
  })

  it('is reported if it was a one-time code whose process is gone [F-84, F-107]', async () => {
    const login = { name: 'login_code', language: 'sw', category: 'AUTHENTICATION' }
    await using world = await open(listening())
    await world.control('POST', 'templates', login)
    await world.emulator.faults.set([{ on: 'send', do: 'late_answer' }])
    const code = oneTimeCode('login_code', 'sw', '482913')
    void world.bot
      .to(ASHA)
      .send(code, { key: 'a' })
      .catch(() => {})
    await world.until(async () => (await world.emulator.customer(ASHA).codes()).length === 1)
    await world.restart(listening())
    await world.until(async () => (await world.counts()).sends['lost_code'] === 1)
    await world.pass('1m')
    expect(heard).toMatchObject([{ state: 'lost_code' }])
  })
})

it('the handler of a send that failed is run again until it has ended, like a delivery’s, and `once` runs once [F-38, F-107]', async () => {
  const rows: string[] = []
  await using world = await open(
    listening(async (ctx) => {
      await ctx.once('mark', () => void rows.push(ctx.send.ref ?? ''))
      if (ctx.attempt < 3) throw new Error('the shop is down')
    }),
  )
  await refuse(world, 1)
  await stored(world, '1')
  await world.pass('1h')
  expect([heard.length, rows]).toEqual([3, ['order 1']])
})

it('a text without a template, whose window is certainly closed is refused when it is recorded, and not sent to the service [R GEN-04, F-107]', async () => {
  await using world = await open(listening())
  await world.pass('25h')
  for (const wait of ['stored', 'accepted'] as const)
    await expect(world.bot.to(ASHA).send('ready', { key: wait, wait })).rejects.toBeInstanceOf(OutsideWindow)
  await world.settled()
  expect((await world.thread()).filter(({ refused }) => refused)).toEqual([])
  expect((await world.counts()).sends).toEqual({ refused: 2 })
  expect(heard).toEqual([])
})
