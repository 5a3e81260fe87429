import { expect, it } from 'vitest'
import { z } from 'zod'
import { createBot, GiveUp } from 'switchhook'
import { scenario, type Scenario, TurnFailed } from 'switchhook/testing'
import { createFailures } from '../../../src/kit/testing/failures.ts'
import { ASHA, JUMA } from '../../support/people.ts'

const failureOf = (turn: Promise<unknown>) =>
  turn.then(
    () => undefined,
    (error: unknown) => error as TurnFailed,
  )

it('names the failed part of a conversation: its script, or its end', async () => {
  const bot = createBot()
  const booking = bot.conversation(
    'booking',
    { version: 1, timeout: '1d', onEnd: (ctx) => ctx.reply('We stop here.') },
    async (chat) => {
      if ((await chat.ask('Which day?')) === 'today') throw new RangeError('the day is over')
    },
  )
  bot.hears('book', (ctx) => ctx.enter(booking))
  bot.onError(() => 'dead')
  await using s = await scenario(bot)
  const asha = s.customer(ASHA)
  await asha.says('book')
  await expect(asha.says('today')).rejects.toThrow('(conversation:booking): RangeError: the day is over')
  await asha.says('book')
  await expect(s.advance('25h')).rejects.toThrow('(conversation:booking:onEnd): OutsideWindow')
})

it('rejects a turn whose handler failed for good, with the handler’s own error', async () => {
  const bot = createBot()
  bot.hears('pay', () => {
    throw new RangeError('the cash desk is closed')
  })
  await using s = await scenario(bot)
  const failure = await failureOf(s.customer(ASHA).says('pay'))
  expect(failure).toBeInstanceOf(TurnFailed)
  expect(failure).toMatchObject({ code: 'turn_failed', cause: new RangeError('the cash desk is closed') })
  expect(failure?.message).toBe(
    'message.received of 255712000101 is a dead letter, because its handler failed for good (hears:pay): RangeError: the cash desk is closed',
  )
})

it('rejects at once if a handler gives up, after onDead has replied to the customer', async () => {
  const bot = createBot()
  bot.hears('pay', () => {
    throw new GiveUp('no such order')
  })
  bot.onDead((_error, ctx) => ctx.reply('Something went wrong.'))
  await using s = await scenario(bot)
  const before = s.now()
  await expect(s.customer(ASHA).says('pay')).rejects.toThrow('GiveUp: no such order')
  expect(s.now()).toEqual(before)
  expect(s.customer(ASHA).last?.text).toBe('Something went wrong.')
})

it('rejects if a reply needs a template and has none; the error contains the fix', async () => {
  const bot = createBot()
  bot.on('order.paid', async (ctx) => {
    await ctx.to(ASHA).send('Paid', {})
  })
  await using s = await scenario(bot)
  const failure = await failureOf(s.event('order.paid', {}))
  expect(failure).toMatchObject({ cause: { code: 'outside_window' } })
  expect(failure?.message).toMatch(/^order\.paid is a dead letter/)
  expect(s.customer(ASHA).thread).toMatchObject([{ text: 'Paid', refused: { code: 'outside_messaging_window' } }])
})

it('rejects an event that is parked, and names the fact that is missing', async () => {
  const bot = createBot({ facts: { 'order.paid': { orderId: 'data.order.id' } } })
  bot.on('order.paid', (ctx) => void ctx.need('orderId'))
  await using s = await scenario(bot)
  await expect(s.event('order.paid', { data: {} })).rejects.toThrow(
    /^order\.paid is parked .*fact_missing: orderId.*createBot\(\{ facts: \{ 'order\.paid': \{ orderId/s,
  )
  await s.event('order.paid', { data: { order: { id: '7' } } })
})

it('names a hidden number as the cause, and neither phoneNumberId nor a customer who is not in the payload', async () => {
  const emulator = { customerOf: () => ASHA, undelivered: () => [] }
  const failures = createFailures(() => ({ numbers: [{ emulator }] }) as never)
  const parked = (reason: string) => {
    failures.hooks.parked?.({ event: 'message.received', deliveryId: 'd1', number: 'default', reason })
    return failureOf(Promise.resolve().then(() => failures.check()))
  }
  expect((await parked('customer_number_hidden'))?.message).toBe(
    'message.received is parked: customer_number_hidden. The payload names a user id in place of a phone number, so no reply can reach this customer. If the number is elsewhere in it, map customer by the option facts',
  )
  for (const reason of ['number_mismatch: x', 'number_unclear: x'])
    expect((await parked(reason))?.message).toMatch(
      new RegExp(`^message.received of ${ASHA} is parked: .* phoneNumberId`),
    )
  expect((await parked('content_missing'))?.message).toBe(`message.received of ${ASHA} is parked: content_missing`)

  const bot = createBot()
  bot.otherwise((ctx) => ctx.reply('Hello'))
  await using s = await scenario(bot)
  const payload = { data: { id: 'm1', from: 'TZ.13491208655302741918', type: 'text', text: 'hi' } }
  expect((await failureOf(s.event('message.received', payload)))?.message).toMatch(
    /^message\.received is parked: customer_number_hidden\. The payload/,
  )
})

it('reports a failure once, so the next turn does not fail', async () => {
  const bot = createBot()
  bot.hears('pay', () => {
    throw new GiveUp('no')
  })
  bot.otherwise((ctx) => ctx.reply('hello'))
  await using s = await scenario(bot)
  await expect(s.customer(ASHA).says('pay')).rejects.toThrow(TurnFailed)
  expect((await s.customer(ASHA).says('hi')).text).toBe('hello')
})

it('lists all failures of one turn', async () => {
  const bot = createBot()
  bot.otherwise((ctx) => {
    throw new GiveUp(`not ${ctx.message.text}`)
  })
  await using s = await scenario(bot)
  const failure = await failureOf(s.customer(ASHA).says('a', 'b'))
  expect(failure?.message).toMatch(/^2 deliveries failed:\n- .*GiveUp: not a\n- .*GiveUp: not b$/)
})

it('a status handler that fails outside a turn fails the next one', async () => {
  const bot = createBot({ attempts: { max: 1 } })
  bot.otherwise(() => {})
  bot.on('message.status:delivered', () => {
    throw new Error('no such column')
  })
  await using s = await scenario(bot)
  await s.customer(ASHA).says('hi')
  await bot.to(ASHA).send('news', { key: 'news' })
  await expect(s.advance('1s')).rejects.toThrow('message.status of 255712000101 is a dead letter')
})

it('a stopped bot accepts no delivery, and the turn reports it', async () => {
  const bot = createBot()
  bot.otherwise((ctx) => ctx.reply('hello'))
  await using s = await scenario(bot)
  await bot.stop()
  await expect(s.customer(ASHA).says('hi')).rejects.toThrow(
    'the bot did not accept message.received: connection_refused',
  )
})

it('refuses a bot that is started or has a scenario, and a value that is not a bot', async () => {
  const bot = createBot({ database: ':memory:', signingSecret: 'secret', logger: false })
  await bot.start()
  await expect(scenario(bot)).rejects.toThrow('a scenario needs a bot that is not started')
  await bot.stop()
  {
    await using _s = await scenario(bot)
    await expect(scenario(bot)).rejects.toThrow('another scenario uses this bot')
  }
  await expect(scenario({})).rejects.toThrow('expected a bot')
})

it('rejects with the error of start(), and releases the bot', async () => {
  const bot = createBot({ session: z.object({ lang: z.string() }) })
  await expect(scenario(bot)).rejects.toThrow(/session/)
  await expect(scenario(bot)).rejects.toThrow(/session/)
})

it('rejects if the same event arrives twice in one second, which the bot must treat as a replay', async () => {
  let paid = 0
  const bot = createBot()
  bot.on('order.paid', () => void paid++)
  await using s = await scenario(bot)
  await s.event('order.paid', { id: '7' })
  await expect(s.event('order.paid', { id: '7' })).rejects.toThrow(
    /^order\.paid was treated as a replay and not handled: .*advance\('1s'\)$/,
  )
  await s.event('order.paid', { id: '8' })
  await s.advance('1s')
  await s.event('order.paid', { id: '7' })
  expect(paid).toBe(3)
})

it('a turn that a handler only begins is part of the outer one', async () => {
  let s: Scenario
  const bot = createBot()
  bot.hears('begin', () => void s.customer(JUMA).says('hi'))
  bot.otherwise((ctx) => ctx.reply('hello'))
  await using open = await scenario(bot)
  s = open
  expect(await s.customer(ASHA).says('begin')).toMatchObject({ replies: [], sent: [{ to: JUMA, text: 'hello' }] })
})
