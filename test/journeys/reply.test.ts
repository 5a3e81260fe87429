import { describe, expect, it } from 'vitest'
import { OutsideWindow, type SendResult, template } from '../../src/bot/switchhook.ts'
import { ASHA, openWorld } from '../support/virtual-world.ts'

const ORDER_READY = { name: 'order_ready', language: 'en', body: 'Your order {{1}} is ready.' }

describe('a reply', () => {
  it('answers a message once, and returns how [R DEL-04, B IDEM-01]', async () => {
    const results: SendResult[] = []
    await using world = await openWorld((bot) =>
      bot.hears('hours', async (ctx) => void results.push(await ctx.reply('9 to 17', { ref: 'r1' }))),
    )
    await world.emulator.customer(ASHA).says('Hours')
    await world.until(() => results.length === 1)
    expect(await world.replies()).toEqual(['9 to 17'])
    expect(results[0]).toMatchObject({
      via: 'freeform',
      replayed: false,
      diverged: false,
      send: { customer: ASHA, number: 'default', state: 'accepted', ref: 'r1', possiblyTwice: false },
    })
  })

  it('is refused with advice if it is begun after its handler has returned, because nobody runs it again', async () => {
    const late = Promise.withResolvers<unknown>()
    await using world = await openWorld((bot) =>
      bot.otherwise((ctx) => {
        const afterwards = () => ctx.reply('late').then(late.resolve, late.resolve)
        void world.settled().then(afterwards)
      }),
    )
    await world.emulator.customer(ASHA).says('hi')
    const error = await late.promise
    expect(error).toMatchObject({ code: 'attempt_over' })
    expect((error as Error).message).toContain('await')
    expect((error as Error).message).not.toContain('will decide')
    expect(await world.replies()).toEqual([])
    // The app may ignore the rejection, so the log has the reason too.
    const told = world.lines.filter(({ message }) => message?.includes('after it had returned'))
    expect(told).toMatchObject([{ level: 'warn', about: { attempt: 1 } }])
  })
})

describe('outside the window', () => {
  it('sends the template instead, once, if the text would be refused [B GEN-04 ERR-06]', async () => {
    await using world = await openWorld((bot) => bot.otherwise((ctx) => ctx.reply('hi')))
    await world.control('POST', 'templates', ORDER_READY)
    await world.emulator.customer(ASHA).says('hi')
    await world.until(async () => (await world.replies()).length === 1)
    await world.emulator.clock.advance('25h')
    const say = () =>
      world.bot.to(ASHA).send('Order 7781 is ready.', {
        key: ['order', 7781, 'ready'],
        outsideWindow: template('order_ready', 'en', { body: ['7781'] }),
      })
    expect(await say()).toMatchObject({ via: 'template', replayed: false, send: { state: 'accepted' } })
    expect(await say()).toMatchObject({ via: 'template', replayed: true })
    expect(await world.replies()).toEqual(['hi', 'Your order 7781 is ready.'])
  })

  it('refuses by name if there is no template, and sends the corrected reply under the same key [B GEN-04]', async () => {
    await using world = await openWorld((bot) => bot.otherwise(() => {}))
    await world.control('POST', 'templates', ORDER_READY)
    const refused = world.bot.to(ASHA).send('ready', { key: 'k' })
    await expect(refused).rejects.toBeInstanceOf(OutsideWindow)
    await expect(refused).rejects.toMatchObject({ code: 'outside_window' })
    const corrected = template('order_ready', 'en', { body: ['1'] })
    expect(await world.bot.to(ASHA).send('ready', { key: 'k', outsideWindow: corrected })).toMatchObject({
      via: 'template',
    })
    expect(await world.replies()).toEqual(['Your order 1 is ready.'])
  })
})

it('an unknown outcome sends at most one with onUnknown: hold, and shows it as unknown [B IDEM-06]', async () => {
  const results: SendResult[] = []
  await using world = await openWorld(
    (bot) => bot.otherwise(async (ctx) => void results.push(await ctx.reply('at most one'))),
    { options: { onUnknown: 'hold' }, emulator: { assumptions: { keysRememberedFor: 'until_settled' } } },
  )
  await world.emulator.faults.set([{ on: 'send', do: 'lose_answer', next: 1 }])
  await world.emulator.customer(ASHA).says('hi')
  await world.until(() => results.length === 1)
  expect(results[0]).toMatchObject({ via: 'stored', send: { state: 'unknown' } })
  expect(await world.replies()).toEqual(['at most one'])
})
