import { describe, expect, it } from 'vitest'
import { openAt, openingHours, type OpeningHours } from '../../../src/features/comfort/comfort.ts'
import { says } from '../../support/turn.ts'
import { openWorld } from '../../support/world.ts'

const HOURS: OpeningHours = { zone: 'Africa/Dar_es_Salaam', wed: '9:00-17:00' }
const NOON = new Date('2026-03-04T12:00:00+03:00') // a Wednesday

it('a bot with opening hours lets messages through while it is open, and replies automatically while it is closed', async () => {
  await using world = await openWorld(
    (bot) => {
      bot.use(openingHours(HOURS, (ctx) => `Closed, ${ctx.customer.slice(-3)}.`))
      bot.otherwise((ctx) => ctx.reply('Here we are.'))
    },
    { emulator: { now: NOON } },
  )
  await says(world, 'hello')
  await world.emulator.clock.advance('6h')
  await says(world, 'anybody?')
  expect(await world.replies()).toEqual(['Here we are.', 'Closed, 101.'])
})

it('a rerun after opening does not reply a second time [B IDEM-01]', async () => {
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
    { options: { clock: () => new Date(now) }, emulator: { internals: { wall: () => new Date(now) } } },
  )
  await says(world, 'hello')
  expect(runs).toEqual([1, 2])
  expect(await world.replies()).toEqual(['We are closed.'])
})

const open = (hours: OpeningHours, at: string) => openAt(hours)(new Date(at))

describe('a week of opening hours', () => {
  const shop: OpeningHours = { zone: 'Africa/Dar_es_Salaam', wed: '9:00-12:30, 14:00-17:00' }

  // 4 March 2026 is a Wednesday; Dar es Salaam is three hours ahead of UTC all the year.
  it.for([
    ['2026-03-04T08:59:59.999+03:00', false],
    ['2026-03-04T09:00:00+03:00', true],
    ['2026-03-04T12:29:59+03:00', true],
    ['2026-03-04T12:30:00+03:00', false],
    ['2026-03-04T14:00:00+03:00', true],
    ['2026-03-04T16:59:59+03:00', true],
    ['2026-03-04T17:00:00+03:00', false],
    ['2026-03-05T10:00:00+03:00', false],
  ] as const)('follow the clocks of their zone: at %s it is %s', ([at, expected]) => {
    expect(open(shop, at)).toBe(expected)
  })

  it('follow the day of their zone, not the one in UTC', () => {
    const early: OpeningHours = { zone: 'Asia/Tokyo', mon: '0:00-6:00' }
    expect(open(early, '2026-03-01T20:00:00Z')).toBe(true) // Sunday in UTC, Monday 5:00 in Tokyo
    expect(open(early, '2026-03-02T20:00:00Z')).toBe(false)
  })

  it('continue past midnight if they end earlier than they begin, on the last day of the week too', () => {
    const bar: OpeningHours = { zone: 'Africa/Nairobi', fri: '18:00-2:00', sat: '18:00-2:00' }
    expect(open(bar, '2026-03-06T17:59:00+03:00')).toBe(false)
    expect(open(bar, '2026-03-06T23:59:00+03:00')).toBe(true)
    expect(open(bar, '2026-03-07T01:59:00+03:00')).toBe(true)
    expect(open(bar, '2026-03-07T02:00:00+03:00')).toBe(false)
    expect(open(bar, '2026-03-08T01:00:00+03:00')).toBe(true) // Sunday, of Saturday's evening
    expect(open(bar, '2026-03-06T01:00:00+03:00')).toBe(false) // Thursday's evening is closed
  })

  it('are a whole day from 0:00 to 24:00', () => {
    const always: OpeningHours = { zone: 'UTC', tue: '0:00-24:00' }
    expect(open(always, '2026-03-03T00:00:00Z')).toBe(true)
    expect(open(always, '2026-03-03T23:59:59Z')).toBe(true)
    expect(open(always, '2026-03-04T00:00:00Z')).toBe(false)
  })

  it('do not open on a holiday, although the evening before continues past midnight', () => {
    const bar: OpeningHours = { zone: 'Africa/Nairobi', thu: '18:00-2:00', fri: '18:00-2:00', holidays: ['2026-12-25'] }
    expect(open(bar, '2026-12-25T01:00:00+03:00')).toBe(true) // of Thursday the 24th
    expect(open(bar, '2026-12-25T19:00:00+03:00')).toBe(false)
    expect(open(bar, '2026-12-26T01:00:00+03:00')).toBe(false) // of the holiday's evening
  })

  // Berlin, 2026: clocks go from 2:00 to 3:00 on 29 March, and back from 3:00 to 2:00 on 25 October. Both are Sundays.
  it.for([
    ['2026-03-28T08:00:00Z', true], // Saturday 9:00, one hour ahead of UTC
    ['2026-03-28T07:59:00Z', false],
    ['2026-03-29T07:00:00Z', true], // Sunday 9:00, two hours ahead
    ['2026-03-29T06:59:00Z', false],
    ['2026-10-25T07:59:00Z', false],
    ['2026-10-25T08:00:00Z', true],
    ['2026-10-25T00:30:00Z', true], // 2:30 for the first time, of Saturday's night
    ['2026-10-25T01:30:00Z', true], // 2:30 for the second time
    ['2026-10-25T02:00:00Z', false],
  ] as const)('follow daylight saving: at %s it is %s', ([at, expected]) => {
    const cafe: OpeningHours = { zone: 'Europe/Berlin', sat: '9:00-12:00, 22:00-3:00', sun: '9:00-12:00' }
    expect(open(cafe, at)).toBe(expected)
  })

  it.for([
    [{ zone: 'Africa/Dodoma' }, /zone: expected a time zone/],
    [{ zone: 'UTC', monday: '9:00-17:00' }, /the day "monday" does not exist/],
    [{ zone: 'UTC', mon: '9-17' }, /mon: expected spans/],
    [{ zone: 'UTC', mon: '9:00-17:60' }, /mon: expected spans/],
    [{ zone: 'UTC', mon: '9:00-25:00' }, /mon: expected spans/],
    [{ zone: 'UTC', mon: '9:00-9:00' }, /mon: expected spans/],
    [{ zone: 'UTC', mon: '' }, /mon: expected spans/],
    [{ zone: 'UTC', mon: 9 }, /mon: expected spans/],
    [{ zone: 'UTC', holidays: ['2026-02-30'] }, /holidays: expected dates/],
    [{ zone: 'UTC', holidays: ['25.12.2026'] }, /holidays: expected dates/],
  ] as const)('without a meaning are refused by name: %o', ([hours, why]) => {
    expect(() => openAt(hours as unknown as OpeningHours)).toThrow(why)
    expect(() => openAt(hours as unknown as OpeningHours)).toThrow(expect.objectContaining({ code: 'options_invalid' }))
  })
})
