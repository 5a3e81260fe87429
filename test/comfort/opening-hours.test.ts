import { expect, it } from 'vitest'
import { openingHours, type OpeningHours } from '../../src/comfort/index.ts'
import { says } from '../support/turn.ts'
import { openWorld } from '../support/world.ts'

const HOURS: OpeningHours = { zone: 'Africa/Dar_es_Salaam', wed: '9:00-17:00' }
const NOON = new Date('2026-03-04T12:00:00+03:00') // a Wednesday

it('a bot with opening hours lets messages through while it is open, and answers by itself while it is closed', async () => {
  await using world = await openWorld(
    (bot) => {
      bot.use(openingHours(HOURS, 'We are closed.'))
      bot.otherwise((ctx) => ctx.reply('Here we are.'))
    },
    { emulator: { now: NOON } },
  )
  await says(world, 'hello')
  await world.emulator.clock.advance('6h')
  await says(world, 'anybody?')
  expect(await world.replies()).toEqual(['Here we are.', 'We are closed.'])
})

it('what closed hours say can be made of the message', async () => {
  await using world = await openWorld(
    (bot) => bot.use(openingHours(HOURS, (ctx) => `Closed, ${ctx.customer.slice(-3)}.`)),
    { emulator: { now: new Date('2026-03-04T20:00:00+03:00') } },
  )
  await says(world, 'hello')
  expect(await world.replies()).toEqual(['Closed, 101.'])
})

it('a rerun after the doors have opened does not answer a second time [B IDEM-01]', async () => {
  let now = new Date('2026-03-04T08:59:59+03:00').getTime()
  const runs: number[] = []
  await using world = await openWorld(
    (bot) => {
      bot.use(async (ctx, next) => {
        runs.push(ctx.attempt)
        await next()
        now = new Date('2026-03-04T09:00:05+03:00').getTime()
        if (ctx.attempt === 1) throw new Error('after the reply')
      })
      bot.use(openingHours(HOURS, 'We are closed.'))
      bot.otherwise((ctx) => ctx.reply('Here we are.'))
    },
    {
      options: { clock: () => new Date(now) },
      emulator: { internals: { wall: () => new Date(now) } },
    },
  )
  await says(world, 'hello')
  expect(runs).toEqual([1, 2])
  expect(await world.replies()).toEqual(['We are closed.'])
})
