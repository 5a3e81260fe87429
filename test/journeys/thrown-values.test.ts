import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Bot, Sender } from '../../src/bot/switchhook.ts'
import { THROWN } from '../support/thrown.ts'
import { openWorld } from '../support/virtual-world.ts'

/** The parts of an app that may throw while a message is handled, each by its own word. */
function registerAll(bot: Bot & Sender, thrown: () => unknown): void {
  const throws = () => {
    throw thrown()
  }
  bot.use(async (ctx, next) => {
    if (ctx.message.text === 'middleware') throws()
    await next()
    if (ctx.message.text === 'behind the handler') throws()
  })
  bot.onError((_error, ctx) => {
    if (ctx.event.name === 'message.received') throws()
  })
  bot.onDead(throws)
  const booking = bot.conversation('booking', { version: 1, timeout: '1d', onEnd: throws }, throws)
  bot.hears('handler', throws)
  bot.hears('behind the handler', () => {})
  bot.hears('once', (ctx) => ctx.once('a', throws))
  bot.hears('updateSession', async (ctx) => void (await bot.to(ctx.customer).updateSession(throws)))
  bot.hears('conversation', (ctx) => ctx.enter(booking))
  bot.hears('next', (ctx) => void ctx.reply('it is your turn'))
  bot.observe({ dead: throws, failed: throws })
}

const WORDS = ['handler', 'middleware', 'behind the handler', 'once', 'updateSession', 'conversation']

describe.each(Object.keys(THROWN))('an app that throws %s', (what) => {
  it('keeps no later message of the customer waiting, wherever it throws, and each message is a dead letter with a reason [R DEL-03]', async () => {
    const thrown = THROWN[what] as () => unknown
    await using world = await openWorld((bot) => registerAll(bot, thrown), {
      options: { attempts: { max: 1 }, session: z.object({ n: z.number().default(0) }) },
    })
    for (const [index, word] of WORDS.entries()) {
      const person = world.emulator.customer(`25571200010${index}`)
      for (const text of [word, 'next']) await person.says(text)
    }
    await world.settled()
    const replies = await Promise.all(WORDS.map((_, index) => world.replies(`25571200010${index}`)))
    expect(replies).toEqual(WORDS.map(() => ['it is your turn']))
    expect((await world.counts()).items).toEqual({ dead: WORDS.length, done: WORDS.length })
    const dead = await world.read("SELECT reason FROM work WHERE state = 'dead'")
    for (const { reason } of dead) {
      expect(reason).toBeTypeOf('string')
      expect(reason).not.toMatch(/not_settled|the process ended/)
    }
  })
})
