import { expect, it } from 'vitest'
import { template } from '../../src/index.ts'
import { ASHA, JUMA, openWorld } from '../support/virtual-world.ts'

it('sends each of several people one message, in whatever order a rerun tells them [B IDEM-01]', async () => {
  await using world = await openWorld((bot) => {
    bot.hears('tell', async (ctx) => {
      for (const customer of ctx.attempt === 1 ? [ASHA, JUMA] : [JUMA, ASHA]) await ctx.to(customer).send('news', {})
      if (ctx.attempt === 1) throw new Error('after both')
    })
    bot.otherwise(() => {})
  })
  await world.emulator.customer(JUMA).says('opens the window')
  await world.emulator.customer(ASHA).says('tell')
  await world.until(async () => (await world.counts()).items['done'] === 2)
  expect([await world.replies(ASHA), await world.replies(JUMA)]).toEqual([['news'], ['news']])
})

it('sends nothing to another customer under a key that was one’s own, even if it was refused [B IDEM-01]', async () => {
  await using world = await openWorld((bot) => bot.otherwise(() => {}))
  await expect(world.bot.to(ASHA).send('ready', { key: ['order', 7] })).rejects.toMatchObject({
    code: 'outside_window',
  })
  await world.emulator.customer(JUMA).says('hi')
  await expect(world.bot.to(JUMA).send('ready', { key: ['order', 7] })).rejects.toMatchObject({ code: 'diverged' })
  expect(await world.replies(JUMA)).toEqual([])
})

it('sends the template that was asked for, not the fallback beside it', async () => {
  await using world = await openWorld((bot) =>
    bot.otherwise((ctx) => ctx.reply(template('asked', 'en'), { outsideWindow: template('fallback', 'en') })),
  )
  for (const name of ['asked', 'fallback'])
    await world.control('POST', 'templates', { name, language: 'en', body: name })
  await world.emulator.customer(ASHA).says('hi')
  await world.until(async () => (await world.replies()).length === 1)
  expect(await world.replies()).toEqual(['asked'])
})

it('survives an async hook of observe() that rejects and a logger that throws', async () => {
  const rejecting = (() => Promise.reject(new Error('metrics are down'))) as () => never
  const logger = () => {
    throw new Error('the log is full')
  }
  await using world = await openWorld(
    (bot) => {
      bot.otherwise((ctx) => ctx.reply('hi'))
      bot.observe({ accepted: rejecting })
    },
    { options: { logger: { debug: logger, info: logger, warn: logger, error: logger } } },
  )
  await world.emulator.customer(ASHA).says('hi')
  await world.until(async () => (await world.replies()).length === 1)
})
