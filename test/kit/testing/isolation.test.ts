import { existsSync } from 'node:fs'
import { afterEach, expect, it, vi } from 'vitest'
import { createBot, template } from 'switchhook'
import { scenario } from 'switchhook/testing'
import { ASHA } from '../../support/people.ts'

afterEach(() => void vi.unstubAllEnvs())

it('twenty scenarios use the same bot one after another, each fresh, and leave no traces', async () => {
  let hooks = 0
  const bot = createBot()
  bot.observe({ handled: () => void hooks++ })
  bot.hears('again', async (ctx) => void (await ctx.reply('the first time')))
  const before = process.getActiveResourcesInfo()
  for (let n = 0; n < 20; n++) {
    await using s = await scenario(bot)
    const asha = s.customer(ASHA)
    expect((await asha.says('again')).text).toBe('the first time')
    expect(asha.thread).toHaveLength(2)
    expect(hooks).toBe(n + 1)
  }
  const count = (all: readonly string[], one: string) => all.filter((it) => it === one).length
  const after = process.getActiveResourcesInfo()
  expect(after.filter((one) => count(after, one) > count(before, one))).toEqual([])
})

it('is the same in each run: texts, ids, times', async () => {
  const run = async () => {
    const seen: unknown[] = []
    const bot = createBot()
    bot.observe({ accepted: ({ deliveryId }) => void seen.push(deliveryId) })
    bot.otherwise(async (ctx) => {
      if (ctx.attempt < 3) throw new Error('not yet')
      seen.push(ctx.message.id, ctx.message.at, ctx.now())
      await ctx.reply('hello')
    })
    await using s = await scenario(bot)
    for (const text of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) await s.customer(ASHA).says(text)
    return [...seen, ...s.customer(ASHA).thread, s.now()]
  }
  expect(await run()).toEqual(await run())
})

it('ignores options and environment that tie the bot to a place', async () => {
  vi.stubEnv('SWITCHHOOK_ALLOWED_RECIPIENTS', '255700000000')
  vi.stubEnv('SWITCHHOOK_HEADER_PREFIX', 'X-Elsewhere-')
  const database = `${import.meta.dirname}/never.db`
  const bot = createBot({
    baseUrl: 'https://api.example',
    accessToken: () => Promise.reject(new Error('no vault here')),
    signingSecret: () => Promise.reject(new Error('no vault here')),
    phoneNumberId: '4711',
    allowedRecipients: ['255700000000'],
    database,
    fetch: () => Promise.reject(new Error('no network here')),
    clock: () => new Date(0),
  })
  bot.otherwise((ctx) => ctx.reply('hello'))
  await using s = await scenario(bot)
  expect((await s.customer(ASHA).says('hi')).text).toBe('hello')
  expect(existsSync(database)).toBe(false)
})

it('sends nothing after its close: the bot is not started', async () => {
  const bot = createBot()
  const s = await scenario(bot)
  await s.close()
  await s.close()
  await expect(bot.to(ASHA).send('x', { key: 'x' })).rejects.toMatchObject({ code: 'not_started' })
})

it('can be closed while a handler hangs', async () => {
  const bot = createBot()
  let entered = () => {}
  const inside = new Promise<void>((resolve) => (entered = resolve))
  bot.otherwise(() => {
    entered()
    return new Promise(() => {})
  })
  const s = await scenario(bot)
  const turn = s.customer(ASHA).says('hi')
  await inside
  await s.close()
  await expect(turn).rejects.toThrow('closed')
})

it('refuses faked timers, with which nothing would continue, and names what can be faked', async () => {
  const bot = createBot()
  bot.otherwise((ctx) => ctx.reply('hello'))
  const s = await scenario(bot)
  vi.useFakeTimers()
  try {
    const wants = /^timers are faked.*vi\.useFakeTimers\(\{ toFake: \['Date'\] \}\)/
    await expect(s.customer(ASHA).says('hi')).rejects.toThrow(wants)
    await expect(scenario(createBot())).rejects.toThrow(wants)
    vi.useFakeTimers({ toFake: ['Date'] })
    expect((await s.customer(ASHA).says('hi')).text).toBe('hello')
  } finally {
    vi.useRealTimers()
    await s.close()
  }
})

it('a pending send rejects when its scenario closes', async () => {
  const bot = createBot()
  const s = await scenario(bot)
  const sending = bot.to(ASHA).send(template('order_ready', 'en'), { key: 'k' })
  const rejected = expect(sending).rejects.toMatchObject({ code: 'not_started' })
  await s.close()
  await rejected
})
