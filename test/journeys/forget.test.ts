import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ASHA, JUMA, openWorld } from '../support/virtual-world.ts'

describe('a forgotten customer', () => {
  it('leaves no text, no number and no session behind, and others’ stay', async () => {
    await using world = await openWorld(
      (bot) =>
        bot.otherwise(async (ctx) => {
          ;(ctx.session as { note: string }).note = `session of ${ctx.message.text}`
          await ctx.reply(`answer to ${ctx.message.text}`)
        }),
      { options: { session: z.object({ note: z.string().default('') }) } },
    )
    for (const [customer, text] of [
      [ASHA, 'canary-of-asha'],
      [JUMA, 'canary-of-juma'],
    ] as const)
      await world.emulator.customer(customer).says(text)
    await world.until(async () => (await world.counts()).items['done'] === 2)
    // A status that arrived after she was forgotten would be new data, so all statuses are awaited before.
    await world.until(async () => (await world.thread(ASHA)).at(-1)?.status?.toLowerCase() === 'delivered')
    await world.until(async () =>
      (await world.emulator.deliveries.list()).every(({ attempts }) => attempts[0]?.status === 200),
    )
    await world.bot.to(ASHA).send('later', { key: 'later', at: new Date(Date.now() + 3_600_000) })
    await world.bot.to(ASHA).forget()
    await world.until(async () => !(await world.rows()).includes(ASHA))
    const rows = await world.rows()
    expect(rows).not.toContain('canary-of-asha')
    expect(rows).not.toContain('later')
    expect(rows.match(/canary-of-juma/g)?.length).toBeGreaterThan(2)
  })

  it('may request it by a message, which is still answered', async () => {
    await using world = await openWorld((bot) => {
      bot.hears('forget me', async (ctx) => {
        await ctx.to(ctx.customer).forget()
        await ctx.reply('Forgotten.')
      })
      bot.otherwise(() => {})
    })
    await world.emulator.customer(ASHA).says('canary')
    await world.until(async () => (await world.counts()).items['done'] === 1)
    await world.emulator.customer(ASHA).says('forget me')
    await world.until(async () => (await world.replies()).length === 1)
    await world.until(async () => !(await world.rows()).includes('canary'))
  })

  it('is not answered any more, by what waits nor by what runs, and a later message is [F-55]', async () => {
    const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const handled: string[] = []
    const refused: unknown[] = []
    const failed: unknown[] = []
    await using world = await openWorld((bot) => {
      bot.onError((error) => void failed.push(error))
      bot.otherwise(async (ctx) => {
        handled.push(ctx.message.text ?? '')
        if (handled.length === 1) {
          begun.resolve()
          await gate.promise
        }
        await ctx.reply(`answer to ${ctx.message.text}`).catch((error: unknown) => refused.push(error))
      })
    })
    for (const text of ['slow', 'canary']) await world.emulator.customer(ASHA).says(text)
    await begun.promise
    await world.until(async () => (await world.counts()).items['stored'] === 1)
    await world.bot.to(ASHA).forget()
    gate.resolve()
    await world.settled()
    expect([handled, refused]).toEqual([['slow'], [expect.objectContaining({ code: 'attempt_over' })]])
    expect(await world.rows()).not.toContain('canary')
    await world.emulator.customer(ASHA).says('later')
    await world.settled()
    expect([handled, await world.replies(), failed]).toEqual([['slow', 'later'], ['answer to later'], []])
  })

  it('enters no conversation that their own handler asks for after it, and leaves no question behind [F-55]', async () => {
    const refused: unknown[] = []
    await using world = await openWorld((bot) => {
      const asks = bot.conversation('asks', { version: 1, timeout: '1h' }, async (chat) => {
        await chat.ask('canary?')
      })
      bot.hears('forget me', async (ctx) => {
        await ctx.to(ctx.customer).forget()
        await ctx
          .to(ctx.customer)
          .enter(asks)
          .catch((error: unknown) => refused.push(error))
        await ctx.enter(asks)
      })
    })
    await world.emulator.customer(ASHA).says('forget me')
    await world.settled()
    expect(refused).toEqual([expect.objectContaining({ code: 'attempt_over' })])
    expect(await world.replies()).toEqual([])
    expect(await world.rows()).not.toContain('canary')
    expect((await world.store().listConversations({ limit: 9 })).conversations).toEqual([])
  })

  it('keeps no session that the handler changes after forgetting them', async () => {
    await using world = await openWorld(
      (bot) =>
        bot.hears('forget me', async (ctx) => {
          await ctx.to(ctx.customer).forget()
          ;(ctx.session as { note: string }).note = 'canary'
        }),
      { options: { session: z.object({ note: z.string().default('') }) } },
    )
    await world.emulator.customer(ASHA).says('forget me')
    await world.until(async () => (await world.counts()).items['done'] === 1 || !(await world.rows()).includes(ASHA))
    expect(await world.rows()).not.toContain('canary')
    expect(await world.bot.to(ASHA).session()).toEqual({ note: '' })
  })
})
