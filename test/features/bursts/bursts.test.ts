import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Bot, buttons, type ContextOf, createBot, GiveUp, type Message, type Sender } from 'switchhook'
import { scenario } from 'switchhook/testing'
import { ASHA, JUMA } from '../../support/people.ts'
import { histories } from '../../support/runs.ts'

const BURST = { quiet: '1500ms' } as const

const textsOf = ({ messages }: { messages: readonly Message[] }) => messages.map(({ text }) => text).join(' + ')

/** A bot that answers with all that it has got at once. */
function echoing(options: Parameters<typeof createBot>[0] = {}) {
  const bot = createBot({ burst: BURST, ...options }) as Bot & Sender
  return { bot, echo: () => bot.otherwise((ctx) => ctx.reply(textsOf(ctx))) }
}

it('messages that a customer writes in a row are one turn of the handler, once the customer is quiet [R DEL-03]', async () => {
  const { bot } = echoing()
  const waited: number[] = []
  bot.otherwise(async (ctx) => {
    waited.push(ctx.now().getTime() - ctx.message.at.getTime())
    await ctx.reply(`${textsOf(ctx)}; last: ${ctx.message.text}`)
  })
  await using s = await scenario(bot)
  expect((await s.customer(ASHA).says('a', 'b', 'c')).text).toBe('a + b + c; last: c')
  expect((await s.customer(ASHA).says('d')).text).toBe('d; last: d')
  expect(waited).toEqual([1_500, 1_500])
})

it('as many messages as maxMessages are handled without waiting', async () => {
  const { bot, echo } = echoing({ burst: { ...BURST, maxMessages: 2 } })
  echo()
  await using s = await scenario(bot)
  const before = s.now()
  expect((await s.customer(ASHA).says('a', 'b')).text).toBe('a + b')
  expect(s.now()).toEqual(before)
  expect((await s.customer(ASHA).says('c', 'd', 'e')).text).toBe('c + d\ne')
})

it('a tap is handled alone, and earlier messages are handled first, without waiting', async () => {
  const { bot, echo } = echoing()
  bot.hears('menu', (ctx) => ctx.reply(buttons('Which?', [{ id: 'hats', title: 'Hats' }])))
  bot.tapped('hats', (ctx) => ctx.reply(`tap: ${ctx.messages.length}`))
  echo()
  await using s = await scenario(bot)
  const asha = s.customer(ASHA)
  await asha.says('menu')
  const before = s.now()
  await Promise.all([asha.says('a', 'b'), asha.taps('hats')])
  expect(s.now()).toEqual(before)
  expect(asha.thread.slice(-2).map(({ text }) => text)).toEqual(['a + b', 'tap: 1'])
})

it('a message for a route that opted out is handled alone, between earlier and later ones', async () => {
  const { bot, echo } = echoing()
  bot.hears(['stop', /^halt/i], (ctx) => ctx.reply(`alone: ${textsOf(ctx)}`), { burst: false })
  bot.received('audio', (ctx) => ctx.reply(`audio: ${ctx.messages.length}`), { burst: false })
  echo()
  await using s = await scenario(bot)
  expect((await s.customer(ASHA).says('a', 'STOP', 'b', 'Halt!', 'c')).text).toBe('a\nalone: STOP\nb\nalone: Halt!\nc')
  const [, audio] = await Promise.all([s.customer(JUMA).says('a'), s.customer(JUMA).sends('audio')])
  expect(audio.text).toBe('a\naudio: 1')
})

it('a route opts out by words or a kind: a predicate is refused, because it would run before the message is stored', () => {
  const { bot } = echoing()
  const handler = () => {}
  const isStop = (text: string) => text.startsWith('stop')
  // @ts-expect-error a predicate has no options
  expect(() => bot.hears(isStop, handler, { burst: false })).toThrow('{ burst: false } is not for a predicate')
  // @ts-expect-error bursts are the default
  expect(() => bot.hears('x', handler, { burst: true })).toThrow('hears(): expected { burst: false }')
  // @ts-expect-error no such option
  expect(() => bot.received(handler, { stale: 1 })).toThrow('received(): expected { burst: false }')
})

it('the last message chooses the route; if none matches, the previous one does; otherwise gets the rest', async () => {
  const { bot, echo } = echoing()
  bot.hears('hours', (ctx) => ctx.reply(`9 to 17 (${ctx.message.text}, ${textsOf(ctx)})`))
  bot.hears('menu', (ctx) => ctx.reply(`menu (${ctx.message.text})`))
  echo()
  await using s = await scenario(bot)
  const asha = s.customer(ASHA)
  expect((await asha.says('hours', 'menu')).text).toBe('menu (menu)')
  expect((await asha.says('hello', 'hours', 'please')).text).toBe('9 to 17 (hours, hello + hours + please)')
  expect((await asha.says('hello', 'there')).text).toBe('hello + there')
})

it('next() continues with the routes of the previous messages, and runs none of them twice', async () => {
  const { bot, echo } = echoing()
  const ran: string[] = []
  bot.received('text', async (ctx, next) => {
    ran.push(`text ${ctx.message.text}`)
    await next()
  })
  bot.hears('a', async (ctx, next) => {
    ran.push(`a ${ctx.message.text}`)
    await next()
  })
  echo()
  await using s = await scenario(bot)
  expect((await s.customer(ASHA).says('a', 'b')).text).toBe('a + b')
  expect(ran).toEqual(['text b', 'a a'])
})

it('a burst that fails is one failure: onError and onDead receive it once, with all messages', async () => {
  const { bot } = echoing()
  const heard: string[] = []
  bot.otherwise(() => {
    throw new GiveUp('no such thing')
  })
  bot.onError((_error, ctx) => void heard.push(`error, attempt ${ctx.attempt}`))
  bot.onDead((_error, ctx) => ctx.reply(`Sorry: ${textsOf(ctx)}`))
  await using s = await scenario(bot)
  await expect(s.customer(ASHA).says('a', 'b')).rejects.toThrow('no such thing')
  expect(heard).toEqual(['error, attempt 1'])
  expect(s.sent.map(({ text }) => text)).toEqual(['Sorry: a + b'])
})

const CRASHES = ['never', 'in the quiet time', 'before the reply', 'after the reply'] as const

const steps = fc.array(
  fc.record({
    writes: fc.array(fc.constantFrom('text', 'text', 'stop', 'tap'), { minLength: 1, maxLength: 4 }),
    crash: fc.constantFrom(...CRASHES),
    losesAnswer: fc.boolean(),
  }),
  { minLength: 1, maxLength: 5 },
)

it('whatever crashes and is lost, each message is answered once, taps and opted-out ones alone [R DEL-03, F-47, F-65]', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (history) => {
      const bot = createBot({ burst: BURST })
      let crash: (typeof CRASHES)[number] = 'never'
      const dies = async (when: typeof crash) => {
        if (crash !== when) return
        crash = 'never'
        await s.crash()
      }
      const answering = (what: string) => async (ctx: ContextOf<typeof bot>) => {
        await dies('before the reply')
        await ctx.reply(`${what}: ${ctx.messages.map(({ text, tapped }) => tapped?.id ?? text).join(' + ')}`)
        await dies('after the reply')
      }
      bot.hears('menu', (ctx) => ctx.reply(buttons('Which?', [{ id: 'tap', title: 'Hats' }])))
      bot.hears(/^stop/, answering('alone'), { burst: false })
      bot.tapped('tap', answering('alone'))
      bot.otherwise(answering('together'))
      await using s = await scenario(bot)
      const asha = s.customer(ASHA)
      await asha.says('menu')

      const written: string[] = []
      for (const { writes, ...faults } of history) {
        crash = faults.crash
        if (faults.losesAnswer) s.faults.loseNextAnswer()
        const turns = writes.map((what) => {
          const text = what === 'tap' ? what : `${what} ${written.length}`
          written.push(text)
          return what === 'tap' ? asha.taps('tap') : asha.says(text)
        })
        await Promise.all([...turns, dies('in the quiet time')])
        await s.advance('20m')
      }

      const replies = asha.thread.filter(({ from }) => from === 'app').slice(1)
      const answered = replies.map(({ text }) => /^(\w+): (.*)$/.exec(text) ?? [])
      expect(answered.flatMap(([, , texts]) => texts?.split(' + ') ?? []).toSorted()).toEqual(written.toSorted())
      for (const [, how, texts = ''] of answered)
        expect(how === 'alone').toBe(/stop|tap/.test(texts) && !texts.includes('+'))
    }),
    { numRuns: histories('sqlite') },
  )
})
