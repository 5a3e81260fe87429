import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createBot } from '../../src/bot/switchhook.ts'
import { optOuts } from '../../src/features/comfort/comfort.ts'
import { scenario } from '../../src/kit/testing/testing.ts'
import { happens, says, turn } from '../support/turn.ts'
import { ASHA, openWorld, type World } from '../support/virtual-world.ts'

const SIGNALS = [
  { kind: 'reaction', emoji: '👍' },
  { kind: 'reaction' },
  { kind: 'edited', text: 'STOP' },
  { kind: 'edited', text: 'BOT' },
  { kind: 'deleted' },
  { kind: 'sticker' },
  { kind: 'call' },
  { kind: 'system' },
  { kind: 'unknown' },
] as const

const acts = (world: World, signal: (typeof SIGNALS)[number]) =>
  turn(world, () => world.emulator.customer(ASHA).acts({ signal }))

describe('what nobody wrote', () => {
  it('reaches no route but its own, no middleware, STOP, BOT or onDead, and is in the history without words [R EVT-03]', async () => {
    const heard: string[] = []
    await using world = await openWorld((bot) => {
      optOuts(bot)
      bot.use(async (ctx, next) => {
        heard.push(`use ${ctx.message.kind}`)
        await next()
      })
      bot.hears('history', async (ctx) => {
        const entries = await ctx.history()
        heard.push(...entries.map(({ by, kind, text }) => `${by} ${kind} ${text}`))
      })
      bot.received((ctx) => void heard.push(`any ${ctx.message.kind}`))
      bot.otherwise((ctx) => ctx.reply('Sorry?'))
    })
    await says(world, 'hi')
    for (const signal of SIGNALS) await acts(world, signal)
    expect(heard).toEqual(['use text', 'any text'])
    expect(await world.bot.to(ASHA).optedOut()).toBeUndefined()
    heard.length = 0
    await says(world, 'history')
    expect(heard).toEqual([
      'use text',
      'customer text hi',
      ...SIGNALS.map(({ kind }) => `customer ${kind} undefined`),
      'customer text history',
    ])
    expect(await world.counts()).toMatchObject({ items: { ignored: SIGNALS.length } })
  })

  it('answers no question, and uses up no try of it', async () => {
    const bot = createBot()
    const order = bot.conversation('order', { version: 1, timeout: '1h' }, async (chat) => {
      const size = await chat.ask('Which size?', { as: z.enum(['42', '43']), tries: 2 })
      await chat.say(`Size ${size}`)
    })
    bot.hears('order', (ctx) => ctx.enter(order))
    await using s = await scenario(bot)
    const asha = s.customer(ASHA)
    await asha.says('order')
    expect((await asha.reacts('👍')).sent).toEqual([])
    for (const act of [asha.edits('43'), asha.deletes(), asha.sends('sticker'), asha.sends('call')])
      expect((await act).sent).toEqual([])
    expect((await asha.says('42')).text).toBe('Size 42')
  })

  it('neither joins a burst nor ends one', async () => {
    const bursts: string[][] = []
    const bot = createBot({ burst: { quiet: '2s' } })
    bot.otherwise((ctx) => void bursts.push(ctx.messages.map(({ text }) => text ?? '')))
    bot.received('reaction', (ctx) => void bursts.push([ctx.message.reaction.emoji]))
    await using s = await scenario(bot)
    const asha = s.customer(ASHA)
    await asha.says('first')
    bursts.length = 0
    await Promise.all([asha.says('one'), asha.reacts('👍'), asha.says('two')])
    expect(bursts.toSorted((a, b) => b.length - a.length)).toEqual([['one', 'two'], ['👍']])
  })

  it('reaches the route of its kind, with its facts, over each shape of a payload [R EVT-03]', async () => {
    for (const payloadShape of [0, 1, 2]) {
      const heard: unknown[] = []
      const bot = createBot()
      bot.received('reaction', ({ message }) => void heard.push(message.reaction))
      bot.received('edited', ({ message }) => void heard.push([message.id, message.text]))
      bot.received('deleted', ({ message }) => void heard.push(message.id))
      for (const kind of ['sticker', 'call', 'system', 'unknown'] as const)
        bot.received(kind, ({ message }) => void heard.push(message.kind))
      bot.received('location', ({ message }) => void heard.push(message.location))
      bot.received('contacts', ({ message }) => void heard.push(message.kind))
      bot.otherwise((ctx) => ctx.reply(`About ${ctx.message.id}`))
      await using s = await scenario(bot, { assumptions: { payloadShape } })
      const asha = s.customer(ASHA)
      const id = (await asha.says('size 42')).text.replace('About ', '')
      await asha.reacts('👍')
      await asha.reacts('')
      await asha.edits('size 43')
      await asha.edits('size 44')
      await asha.deletes()
      for (const kind of ['sticker', 'call', 'system', 'unknown', 'contacts'] as const) await asha.sends(kind)
      await asha.sends('location', { latitude: -6.8, longitude: 39.28, name: 'Home' })
      const to = expect.stringMatching(/^msg_/) as string
      expect(heard).toEqual([
        { emoji: '👍', to },
        { emoji: '', to },
        [id, 'size 43'],
        [id, 'size 44'],
        id,
        'sticker',
        'call',
        'system',
        'unknown',
        'contacts',
        { latitude: -6.8, longitude: 39.28, name: 'Home', address: undefined },
      ])
      expect(asha.thread.slice(-9).map(({ kind }) => kind)).toContain('location')
    }
  })

  it('is handled once, though it is delivered twice under other ids [R DEL-01]', async () => {
    let heard = 0
    await using world = await openWorld((bot) => bot.received('reaction', () => void heard++))
    const data = { id: 'r-1', from: ASHA, type: 'reaction', reaction: { emoji: '👍', message_id: 'm' } }
    const body = { event: 'message.received', data: { ...data, timestamp: Math.floor(world.now() / 1_000) } }
    await turn(world, () => happens(world, 'message.received', body))
    await turn(world, () => happens(world, 'message.received', { ...body, resent: true }))
    expect(heard).toBe(1)
    await turn(world, () => happens(world, 'message.received', { ...body, data: { ...body.data, reaction: '❤️' } }))
    expect(heard).toBe(2)
  })
})

it('an edit under the id and time of its message is an edit, and not that message again or a second one [R DEL-01]', async () => {
  const heard: string[] = []
  const alarms: string[] = []
  await using world = await openWorld((bot) => {
    bot.received('edited', (ctx) => void heard.push(`edited: ${ctx.message.text}`))
    bot.otherwise((ctx) => void heard.push(String(ctx.message.text)))
    bot.observe({ alarm: ({ reason = '' }) => void alarms.push(reason) })
  })
  const at = Math.floor(world.now() / 1_000)
  const data = { id: 'm-1', from: ASHA, type: 'text', text: 'size 42', timestamp: at }
  const send = (more: object) =>
    turn(world, () => happens(world, 'message.received', { event: 'message.received', data: { ...data, ...more } }))
  await send({})
  await send({ text: 'size 43', edited: true })
  await send({ text: 'size 44', edited: true })
  await send({ text: 'size 45', edited: true, timestamp: at + 9 })
  expect(heard).toEqual(['size 42', 'edited: size 43', 'edited: size 44', 'edited: size 45'])
  expect(alarms).toEqual([])
})

it('a location or a contact reaches otherwise like a picture, and answers a question with the wrong kind [R EVT-03]', async () => {
  const bot = createBot()
  bot.otherwise((ctx) => ctx.reply(`Thank you for the ${ctx.message.kind}.`))
  await using s = await scenario(bot)
  const asha = s.customer(ASHA)
  expect((await asha.sends('location')).text).toBe('Thank you for the location.')
  expect((await asha.sends('contacts')).text).toBe('Thank you for the contacts.')
  expect((await asha.sends('image')).text).toBe('Thank you for the image.')
})

describe('a message in which nothing was understood', () => {
  const POLL = { event: 'message.received', data: { id: 'p-1', from: ASHA, type: 'poll_vote', poll: 'A' } }

  it('is parked, and alarms once for each word [R EVT-02]', async () => {
    const heard: string[] = []
    const alarms: string[] = []
    await using world = await openWorld((bot) => {
      bot.otherwise((ctx) => void heard.push(ctx.message.kind))
      bot.observe({ alarm: ({ reason = '' }) => void alarms.push(reason) })
    })
    for (const data of [{}, { id: 'p-2' }, { id: 'p-3', type: 'flow' }, { id: 'p-4', type: null }])
      await turn(world, () =>
        happens(world, 'message.received', { ...POLL, data: { ...POLL.data, ...data, timestamp: world.now() } }),
      )
    expect(heard).toEqual([])
    expect(await world.counts()).toMatchObject({ items: { parked: 4 } })
    expect(alarms.filter((reason) => reason.startsWith('content_missing'))).toHaveLength(3)
  })

  it("reaches received('unknown') if there is one, and nothing else [R EVT-02]", async () => {
    const heard: string[] = []
    await using world = await openWorld((bot) => {
      bot.otherwise((ctx) => void heard.push(`otherwise ${ctx.message.kind}`))
      bot.received('unknown', async (ctx, next) => {
        heard.push(`${ctx.message.kind}: ${(ctx.event.json as typeof POLL).data.type}`)
        await next()
      })
    })
    await turn(world, () => happens(world, 'message.received', POLL))
    const spoken = { ...POLL, data: { ...POLL.data, id: 'p-2', text: 'A' } }
    await turn(world, () => happens(world, 'message.received', spoken))
    expect(heard).toEqual(['unknown: poll_vote', 'poll_vote: poll_vote', 'otherwise poll_vote'])
  })
})

describe('the window', () => {
  const EVENING = '25h'
  const open = (signalWindow: 'opens' | 'ignored') => {
    const bot = createBot()
    bot.received('sticker', (ctx) => ctx.reply('Nice!'))
    bot.received('edited', (ctx) => ctx.reply('Noted.'))
    return scenario(bot, { assumptions: { signalWindow } })
  }

  it('opens by a sticker, where the platform counts it, and never by an edit [R GEN-04]', async () => {
    await using s = await open('opens')
    const asha = s.customer(ASHA)
    await asha.says('hi')
    await s.advance(EVENING)
    await expect(asha.edits('hello')).rejects.toThrow('OutsideWindow')
    expect((await asha.sends('sticker')).text).toBe('Nice!')
  })

  it('costs one refusal where the platform does not count it [R GEN-04]', async () => {
    await using s = await open('ignored')
    const asha = s.customer(ASHA)
    await asha.says('hi')
    await s.advance(EVENING)
    await expect(asha.sends('sticker')).rejects.toThrow('OutsideWindow')
    expect(s.sent.map(({ refused }) => refused?.code)).toEqual(['outside_messaging_window'])
  })
})
