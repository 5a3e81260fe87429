import { describe, expect, it } from 'vitest'
import { oneTimeCode, type SendResult, template } from '../../src/bot/switchhook.ts'
import { ASHA, openWorld } from '../support/virtual-world.ts'

type Routes = Parameters<typeof openWorld>[0]

/** Of a message whose answer was lost once: how many reach the phone under each reading of the specification. */
const READINGS = [
  { keysRememberedFor: '24h', texts: 1, codes: 1 },
  { keysRememberedFor: 'until_settled', texts: 2, codes: 2 },
  { keysRememberedFor: 'literal', texts: 2, codes: 1 },
] as const

const ORDER_READY = { name: 'order_ready', language: 'en', body: 'Your order {{1}} is ready.' }

describe.each(READINGS)('if keys are remembered $keysRememberedFor', ({ keysRememberedFor, texts, codes }) => {
  const open = (routes: Routes, more: { upstreamMs?: number } = {}) =>
    openWorld(routes, { emulator: { assumptions: { keysRememberedFor, ...more } } })
  const times = <T>(count: number, one: T) => Array.from({ length: count }, () => one)

  it('a handler that runs again sends its reply once [B IDEM-01, B IDEM-06, F-79]', async () => {
    let runs = 0
    await using world = await open((bot) =>
      bot.otherwise(async (ctx) => {
        await ctx.reply('one')
        if (++runs < 3) throw new Error('behind it')
        await ctx.reply('two')
      }),
    )
    await world.emulator.customer(ASHA).says('hi')
    await world.until(async () => (await world.replies()).length === 2)
    await world.settled()
    expect(await world.replies()).toEqual(['one', 'two'])
  })

  it('a reply with a lost answer is repeated at most once, and is marked if it may be doubled [B IDEM-05, B IDEM-06, F-64]', async () => {
    const results: SendResult[] = []
    await using world = await open((bot) => bot.otherwise(async (ctx) => void results.push(await ctx.reply('ready'))))
    await world.emulator.faults.set([{ on: 'send', do: 'lose_answer', next: 1 }])
    await world.emulator.customer(ASHA).says('hi')
    await world.until(() => results.length === 1)
    expect(await world.replies()).toEqual(times(texts, 'ready'))
    expect(results[0]).toMatchObject({ via: 'freeform', send: { possiblyTwice: texts > 1 } })
  })

  it('a template outside the window does the same [B GEN-05, B IDEM-06]', async () => {
    const ready = template('order_ready', 'en', { body: ['7781'] })
    await using world = await open((bot) => bot.otherwise(() => {}))
    await world.emulator.templates.add(ORDER_READY)
    await world.emulator.faults.set([{ on: 'send', do: 'lose_answer', next: 1 }])
    const sent = await world.bot.to(ASHA).send(ready, { key: 'order/7781' })
    expect(sent).toMatchObject({ via: 'template', send: { possiblyTwice: texts > 1 } })
    expect(await world.replies()).toEqual(times(texts, 'Your order 7781 is ready.'))
  })

  it('a one-time code with a lost answer does so if its key is forgotten [B OTP-08, B IDEM-06]', async () => {
    await using world = await open((bot) => bot.otherwise(() => {}))
    await world.emulator.templates.add({ name: 'login_code', language: 'sw', category: 'AUTHENTICATION' })
    await world.emulator.faults.set([{ on: 'send', do: 'lose_answer', next: 1 }])
    const sent = await world.bot.to(ASHA).send(oneTimeCode('login_code', 'sw', '482913'), { key: 'login/1' })
    expect(sent).toMatchObject({ send: { possiblyTwice: codes > 1 } })
    expect(await world.replies()).toHaveLength(codes)
  })

  it('a restart during a send repeats it, which doubles it if its key is forgotten [B IDEM-06, F-65]', async () => {
    const routes: Routes = (bot) => bot.otherwise((ctx) => ctx.reply('once'))
    await using world = await open(routes, { upstreamMs: 400 })
    await world.emulator.customer(ASHA).says('hi')
    await world.until(async () => (await world.counts()).sends['attempting'] === 1)
    await world.restart(routes)
    await world.until(async () => (await world.counts()).sends['accepted'] === 1)
    await world.settled()
    expect(await world.replies()).toEqual(times(texts, 'once'))
  })
})
