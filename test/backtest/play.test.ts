import { describe, expect, it } from 'vitest'
import { TAP_KEY } from '../../src/backtest/tap-key.ts'
import { createTapResigner } from '../../src/backtest/resign-taps.ts'
import { buttons, createBot, GiveUp, tap, template } from '../../src/index.ts'
import { createTapSigner } from '../../src/outbox/index.ts'
import { packResult } from '../../src/base/kept-result.ts'
import { z } from 'zod'
import type { Recorded } from '../../src/backtest/recording.ts'
import { BEGIN, playedBy, said, textsOf } from './support.ts'

const HOUR = 3_600_000
const Order = tap('order', z.object({ hat: z.number() }))

describe('a bot that is played', () => {
  it('answers each delivery at the time of then, and its route and answer are told with the delivery', async () => {
    const bot = createBot()
    bot.hears('time', (ctx) => ctx.reply(ctx.now().toISOString()))
    bot.otherwise((ctx) => ctx.reply(`pardon: ${ctx.message.text}`))
    const run = await playedBy(bot, [said('time', 1_000), said('hats?', HOUR), said('time', 3 * HOUR)])
    expect(textsOf(run)).toEqual([['2026-03-04T09:00:01.000Z'], ['pardon: hats?'], ['2026-03-04T12:00:00.000Z']])
    expect(run.played.map(({ route, outcome }) => [route, outcome])).toEqual([
      ['hears:time', 'handled'],
      ['otherwise', 'handled'],
      ['hears:time', 'handled'],
    ])
    expect(run.played[0]?.said[0]).toMatchObject({ to: '255712000101', kind: 'text', fellBack: false })
  })

  it('says the same in two runs', async () => {
    const deliveries = Array.from({ length: 40 }, (_, index) =>
      said(index % 3 === 0 ? 'menu' : 'hats', index * 900, { from: `25571200010${index % 7}` }),
    )
    const one = async () => {
      const bot = createBot()
      const menu = buttons('What?', [Order.option('Order', { hat: 1 })])
      bot.hears('menu', (ctx) => ctx.reply(menu))
      bot.otherwise((ctx) => ctx.reply(`pardon: ${ctx.message.text}`))
      const { played, apart } = await playedBy(bot, deliveries)
      return { apart, played: played.map((it) => ({ ...it, ms: 0 })) }
    }
    expect(await one()).toEqual(await one())
  })

  it('does not run an effect again whose result is stored, also if another route takes the delivery now', async () => {
    let ordered = 0
    const order = () => `order-${++ordered}`
    const botWith = (pattern: string) => {
      const bot = createBot()
      bot.hears(pattern, async (ctx) => ctx.reply(await ctx.once('order', order)))
      return bot
    }
    const once = [{ idx: 0, name: 'hears:buy/order', result: packResult('order', 'order-77') }]
    const deliveries = [said('buy', 0, { once }), said('buy', 1_000)]
    expect(textsOf(await playedBy(botWith('buy'), deliveries))).toEqual([['order-77'], ['order-1']])
    expect(textsOf(await playedBy(botWith('BUY'), [said('buy', 0, { once })]))).toEqual([['order-77']])
    expect(ordered).toBe(1)
  })

  it('does not run an effect of a conversation again whose result is stored, whoever enters it now and whatever else it asks', async () => {
    const booked: string[] = []
    const botWith = (pattern: string, question?: string) => {
      const bot = createBot()
      const visit = bot.conversation('visit', { version: 1, timeout: '3d' }, async (chat) => {
        const day = await chat.ask('Which day?')
        if (question !== undefined) await chat.ask(question)
        for (const part of ['room', 'nurse'])
          await chat.say(await chat.once('book', () => `${part} ${booked.push(part)} on ${day}`))
      })
      bot.hears(pattern, (ctx) => ctx.enter(visit))
      bot.otherwise((ctx) => ctx.reply('pardon?'))
      return bot
    }
    const results = ['room 71', 'nurse 72'].map((result) => ({ name: 'book', result: packResult('book', result) }))
    const conversations = [{ id: 'c_then', name: 'visit', once: results }]
    const deliveries = [said('visit', 0, { entered: ['c_then'] }), said('Monday', 1_000), said('Asha', 2_000)]
    const played = (bot: ReturnType<typeof botWith>, more: readonly Recorded[] = []) =>
      playedBy(bot, [...deliveries, ...more], { conversations })

    expect(textsOf(await played(botWith('visit')))).toEqual([['Which day?'], ['room 71', 'nurse 72'], ['pardon?']])
    expect(textsOf(await played(botWith('VISIT', 'Your name?')))).toEqual([
      ['Which day?'],
      ['Your name?'],
      ['room 71', 'nurse 72'],
    ])
    expect(booked).toEqual([])
    const later = [said('visit', 3_000), said('Friday', 4_000)]
    expect(textsOf(await played(botWith('visit'), later)).at(-1)).toEqual(['room 1 on Friday', 'nurse 2 on Friday'])
  })

  it('names the route whose handler throws, with its error', async () => {
    const bot = createBot()
    bot.hears('price', () => {
      throw new GiveUp('no price today')
    })
    bot.otherwise((ctx) => ctx.reply('pardon?'))
    const { played } = await playedBy(bot, [said('price'), said('hats', 1_000)])
    expect(played.map(({ outcome }) => outcome)).toEqual(['dead', 'handled'])
    expect(played[0]?.failure).toEqual({ route: 'hears:price', error: expect.stringContaining('no price today') })
  })

  it('waits for a back-off no longer than until the next delivery of then', async () => {
    const bot = createBot()
    const attempts: string[] = []
    bot.hears('flaky', (ctx) => {
      attempts.push(ctx.now().toISOString())
      if (ctx.attempt < 3) throw new Error('not yet')
      return ctx.reply('now')
    })
    bot.otherwise((ctx) => ctx.reply(ctx.now().toISOString()))
    const run = await playedBy(bot, [said('flaky'), said('hats', 100, { from: '255712000102' })])
    expect(textsOf(run)).toEqual([['now'], ['2026-03-04T09:00:00.100Z']])
    expect(run.played[0]?.outcome).toBe('handled')
    expect(attempts).toHaveLength(3)
  })

  it('has a window that its customers open, and templates that are given', async () => {
    const bot = createBot()
    bot.otherwise(async (ctx) => {
      await ctx.to('255712000102').send('Hats are here.', {
        outsideWindow: template('hats_here', 'en', { body: ['12'] }),
      })
    })
    const templates = [{ name: 'hats_here', language: 'en', body: '{{1}} hats are here' }]
    const { played } = await playedBy(bot, [said('hi')], { templates })
    expect(played[0]?.said).toMatchObject([
      { to: '255712000102', text: '12 hats are here', template: { name: 'hats_here', language: 'en' } },
    ])
    expect(played[0]?.said[0]?.fellBack).toBe(true)
  })

  it('tells apart what no delivery caused: statuses of its sends, and what becomes due', async () => {
    const bot = createBot()
    bot.on('message.status:delivered', async (ctx) => {
      if (ctx.sent?.ref === 'welcome') await ctx.to('255712000999').send(template('note', 'en', {}), { ref: 'note' })
    })
    bot.otherwise((ctx) => ctx.reply('welcome', { ref: 'welcome' }))
    const run = await playedBy(bot, [said('hi')], { templates: [{ name: 'note', language: 'en', body: 'A note' }] })
    expect(textsOf(run)).toEqual([['welcome']])
    expect(Object.keys(run.apart)).toEqual(['message.status to 255712000999'])
    expect(run.apart['message.status to 255712000999']?.said).toMatchObject([{ text: 'A note' }])
  })

  it('knows its own options again, which were signed by another database', async () => {
    const [key, holder] = [Buffer.alloc(32, 7), { number: 'default', customer: '255712000101' }]
    const signed = createTapSigner(key).sign(JSON.stringify(Order.option('Order', { hat: 3 })), holder, BEGIN)
    const { id } = JSON.parse(signed) as { id: string }
    const bot = createBot()
    bot.tapped(Order, (ctx) => ctx.reply('ordered'))
    bot.otherwise((ctx) => ctx.reply('pardon?'))
    const reply = (tapped: string) =>
      said({ type: 'interactive', interactive: { type: 'button_reply', button_reply: { id: tapped, title: 'Order' } } })
    const given = reply(id)
    const resigned = { ...given, body: createTapResigner(key)(given.body, [holder]) }
    expect(textsOf(await playedBy(bot, [given]))).toEqual([['pardon?']])
    expect(textsOf(await playedBy(bot, [resigned]))).toEqual([['ordered']])
    expect(createTapSigner(TAP_KEY).verify(id, holder)).toBeUndefined()
    const ofOther = createTapResigner(key)(given.body, [{ ...holder, customer: '255712000102' }])
    expect(ofOther).toBe(given.body)
  })

  it('tells of a handler that does not end, and plays on', async () => {
    const bot = createBot()
    bot.hears('hang', () => new Promise(() => {}))
    bot.otherwise((ctx) => ctx.reply('pardon?'))
    const deliveries = [said('hang'), said('hats', 1_000, { from: '255712000102' })]
    const run = await playedBy(bot, deliveries, { handlerTimeoutMs: 200 })
    expect(run.played[0]).toMatchObject({ outcome: 'dead', said: [] })
    expect(run.played[0]?.failure?.error).toContain('its deadline of 30000 ms has passed')
    expect(textsOf(run)[1]).toEqual(['pardon?'])
  })
})
