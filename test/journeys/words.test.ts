import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { optOuts } from '../../src/features/comfort/comfort.ts'
import { buttons, createBot, template } from '../../src/bot/switchhook.ts'
import { scenario, type ScenarioTemplate } from '../../src/kit/testing/testing.ts'
import { says } from '../support/turn.ts'
import { ASHA, JUMA, openWorld } from '../support/world.ts'

describe('over HTTP', () => {
  it('a customer who writes "Stop." gets none of an announcement that is under way, whichever slow message is in front', async () => {
    const gate = Promise.withResolvers<void>()
    await using world = await openWorld((bot) => {
      optOuts(bot, { stopped: 'Stopped.', started: 'Started.' })
      bot.hears('slow', () => gate.promise)
      bot.otherwise((ctx) => ctx.reply('Hello'))
    })
    await says(world, 'hello')
    await says(world, 'hello', JUMA)
    const asha = world.emulator.customer(ASHA)
    await asha.says('slow')
    await asha.says('Stop.')
    await world.until(async () => (await world.bot.to(ASHA).optedOut()) !== undefined)
    const sale = await world.bot.announce('sale', [ASHA, JUMA], 'New shoes', { perMinute: 600 })
    await world.until(async () => (await sale.progress()).state === 'done')
    expect([await world.replies(), await world.replies(JUMA)]).toEqual([['Hello'], ['Hello', 'New shoes']])
    gate.resolve()
    await world.settled()
    await says(world, 'please stop 🛑')
    await says(world, '"START"')
    expect(await world.replies()).toEqual(['Hello', 'Stopped.', 'Started.'])
  })

  it('routes, choices, cancel words and listed answers are found as people type them', async () => {
    await using world = await openWorld((bot) => {
      const order = bot.conversation('order', { version: 1, timeout: '1h', cancelWords: ['cancel'] }, async (chat) => {
        const size = await chat.ask(
          buttons('Size?', [
            { id: 'big', title: '🧺 Big' },
            { id: 'small', title: 'Small' },
          ]),
        )
        const city = await chat.ask('City?', { as: z.enum(['Moshi', 'Dar es Salaam']) })
        await chat.say(`${size} to ${city}`)
      })
      bot.hears('order', (ctx) => ctx.enter(order))
      bot.hears('Hours', (ctx) => ctx.reply('9 to 17'))
      bot.hears('HOURS', (ctx) => ctx.reply('exact'), { exact: true })
      bot.otherwise((ctx) => ctx.reply('?'))
    })
    for (const text of [
      '*hours*?',
      'opening hours',
      'Order!',
      'big 🙏',
      'dar es salaam.',
      'order',
      '“Cancel”',
      'cancel',
    ])
      await says(world, text)
    expect(await world.replies()).toEqual(['9 to 17', '?', 'Size?', 'City?', 'big to Dar es Salaam', 'Size?', '?'])
  })

  it('a pasted number is read, and one that is wrong is refused with its code points', async () => {
    await using world = await openWorld((bot) => void bot.otherwise((ctx) => ctx.reply('Hello')), {
      options: { allowedRecipients: ['\u202a+255 712‑000‑101\u202c'] },
    })
    await says(world, 'hello')
    await world.bot.to('00255 (712) 000–101\u200b').send('Ready', { key: 'a' })
    await expect(world.bot.to('25571200010l').send('Ready', { key: 'b' })).rejects.toThrow('U+006C')
    await world.bot.to('[255] 712 000 101').optOut({ how: 'web form' })
    expect(await world.bot.to(ASHA).optedOut()).toMatchObject({ how: 'web form' })
    expect(await world.replies()).toEqual(['Hello', 'Ready'])
  })

  it('what nobody can see, and a parameter that would be refused, is refused before a byte leaves', async () => {
    await using world = await openWorld((bot) => void bot.otherwise((ctx) => ctx.reply('Hello')))
    await world.emulator.templates.add({ name: 'ready', language: 'en', body: 'Ready: {{1}}' })
    await says(world, 'hello')
    const asha = world.bot.to(ASHA)
    for (const content of ['\u200b', buttons('Pay?', [{ id: 'a', title: '\u2800' }])])
      await expect(asha.send(content, { key: 'a' })).rejects.toMatchObject({ code: 'content_invalid' })
    await expect(asha.send(template('ready', 'en', { body: ['a\nb'] }), { key: 'a' })).rejects.toThrow(
      'body[0] of the template "ready" contains a newline',
    )
    await asha.send(template('ready', 'en', { body: ['7781'] }), { key: 'a' })
    expect((await world.thread()).map(({ text }) => text)).toEqual(['hello', 'Hello', 'Ready: 7781'])
  })

  it('an emulator that refuses a parameter answers with the label of its assumption', async () => {
    await using world = await openWorld((bot) => void bot.otherwise((ctx) => ctx.reply('Hello')), {
      options: { templateParameters: 'send' },
    })
    await world.emulator.templates.add({ name: 'ready', language: 'en', body: 'Ready: {{1}}' })
    const send = (key: string) => world.bot.to(ASHA).send(template('ready', 'en', { body: ['a\tb'] }), { key })
    await expect(send('a')).rejects.toMatchObject({ status: 400, code: undefined })
    await world.emulator.assumptions.set({ templateParameters: 'send' })
    expect(await send('b')).toMatchObject({ via: 'template' })
  })
})

it('a scenario takes a template with a header and buttons', async () => {
  const bot = createBot()
  bot.tapped('stop', (ctx) => ctx.reply('Tapped'))
  const order = {
    name: 'order',
    language: 'en',
    components: [
      { type: 'HEADER', format: 'TEXT', text: 'Shop {{1}}' },
      { type: 'BODY', text: 'Order {{1}}' },
      { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'Thanks' }] },
    ],
  } satisfies ScenarioTemplate
  await using s = await scenario(bot, { templates: [order] })
  await bot
    .to(ASHA)
    .send(template('order', 'en', { header: 'Asha', body: ['7'], buttons: [{ payload: 'stop' }] }), { key: 'o' })
  expect(s.customer(ASHA).last).toMatchObject({ text: 'Shop Asha\nOrder 7' })
  expect((await s.customer(ASHA).taps('Thanks')).text).toBe('Tapped')
})
