import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { buttons, createBot, list, tap, template } from 'switchhook'
import { scenario } from 'switchhook/testing'
import { ASHA, JUMA } from '../../support/people.ts'

it('answers a message with the messages that arrived on the phone, as plain data', async () => {
  const bot = createBot()
  bot.hears('hours', (ctx) => ctx.reply('9 to 17'))
  await using s = await scenario(bot)
  const asha = s.customer(ASHA)
  const turn = await asha.says('hours')
  expect(turn.text).toBe('9 to 17')
  const reply = { from: 'app', kind: 'text', text: '9 to 17', options: [], status: 'delivered' }
  expect(turn.replies).toEqual([{ ...reply, to: ASHA, template: undefined, refused: undefined }])
  expect(turn.sent).toEqual(turn.replies)
  expect(asha.thread).toMatchObject([{ from: 'customer', kind: 'text', text: 'hours' }, reply])
  expect(asha.last).toMatchObject(reply)
})

it('the scenario has all sent messages, to anybody and at any time, refused sends too', async () => {
  const bot = createBot()
  bot.hears('ready', async (ctx) => {
    await ctx.to(JUMA).send('for Juma', {})
    await ctx.reply('told')
  })
  await using s = await scenario(bot)
  expect(s.sent).toEqual([])
  await s.customer(JUMA).says('hi')
  await s.customer(ASHA).says('ready')
  await bot
    .to('255712000199')
    .send('who is this?', { key: 'k' })
    .catch(() => {})
  await s.advance('1s')
  expect(s.sent.map(({ to, text, refused }) => [to, text, refused?.code])).toEqual([
    [JUMA, 'for Juma', undefined],
    [ASHA, 'told', undefined],
    ['255712000199', 'who is this?', 'outside_messaging_window'],
  ])
})

it('a template for one-time codes has no body, and one with a body is refused by name [B OTP-01]', async () => {
  const login = { name: 'login_code', language: 'sw', category: 'AUTHENTICATION' as const }
  // @ts-expect-error the text is the service's own
  const templates: Parameters<typeof scenario>[1] = { templates: [{ ...login, body: 'Code {{1}}' }] }
  await expect(scenario(createBot(), templates)).rejects.toMatchObject({
    code: 'options_invalid',
    message: expect.stringContaining('templates: "login_code" is for one-time codes'),
  })
  await using _ = await scenario(createBot(), { templates: [login] })
})

it('taps buttons, rows and signed options, by id or by title', async () => {
  const Order = tap('order', z.object({ id: z.string() }))
  const bot = createBot()
  bot.hears('menu', (ctx) => ctx.reply(buttons('Help?', [{ id: 'track', title: 'Track order' }])))
  bot.tapped('track', (ctx) => ctx.reply(list('Which?', [Order.option('No. 7781', { id: '7781' })])))
  bot.tapped(Order, (ctx) => ctx.reply(`${ctx.params.id} is on its way`))
  await using s = await scenario(bot)
  const asha = s.customer(ASHA)
  const turn = await asha.says('menu')
  expect(turn.replies).toMatchObject([{ options: [{ id: 'track', title: 'Track order' }] }])
  expect(turn.options).toEqual(['Track order'])
  await asha.taps('track')
  expect((await asha.taps('No. 7781')).text).toBe('7781 is on its way')
  expect((await asha.taps('Track order')).text).toBe('Which?')
})

it('names the options on the phone if one is missing', async () => {
  const bot = createBot()
  bot.otherwise((ctx) => ctx.reply(buttons('Help?', [{ id: 'track', title: 'Track order' }])))
  await using s = await scenario(bot)
  const asha = s.customer(ASHA)
  await expect(asha.taps('pay')).rejects.toThrow('the phone shows no option "pay"; it shows: nothing')
  await asha.says('hi')
  await expect(asha.taps('pay')).rejects.toThrow('it shows: "Track order"')
})

it('sends media', async () => {
  const bot = createBot()
  bot.received('image', (ctx) => ctx.reply(`${ctx.message.media.url} ${ctx.message.media.caption}`))
  await using s = await scenario(bot)
  const turn = await s.customer(ASHA).sends('image', { url: 'https://media.example/1.jpg', caption: 'receipt' })
  expect(turn.text).toBe('https://media.example/1.jpg receipt')
})

it('delivers an event with exactly its payload, and waits for the sends of its handler', async () => {
  const bot = createBot({ facts: { 'order.paid': { phone: 'data.buyer.phone', total: (json) => json.data.total } } })
  bot.on('order.paid', async (ctx) => {
    await ctx.to(ctx.need('phone')).send(`Paid ${ctx.need('total')}`, {
      outsideWindow: template('paid', 'en', { body: [String(ctx.need('total'))] }),
    })
  })
  await using s = await scenario(bot, { templates: [{ name: 'paid', language: 'en', body: 'You paid {{1}}.' }] })
  await s.event('order.paid', { data: { buyer: { phone: ASHA }, total: 12 } })
  expect(s.customer(ASHA).last).toMatchObject({
    kind: 'template',
    text: 'You paid 12.',
    template: { name: 'paid', language: 'en', body: ['12'] },
  })
})

it('resolves after the statuses of its sends are handled', async () => {
  const told: string[] = []
  const bot = createBot()
  bot.hears('hi', (ctx) => ctx.reply('hello', { ref: 'greeting' }))
  bot.on('message.status:delivered', (ctx) => void told.push(`${ctx.sent?.ref} ${ctx.status}`))
  await using s = await scenario(bot)
  await s.customer(ASHA).says('hi')
  expect(told).toEqual(['greeting delivered'])
})

it('waits for a handler that runs its own code, however long that takes, and lets no time pass meanwhile', async () => {
  const bot = createBot({ attempts: { deadline: '1ms' } })
  bot.hears('read', async (ctx) => {
    const source = await readFile(import.meta.filename, 'utf8')
    await ctx.reply(source.slice(0, 6))
  })
  await using s = await scenario(bot)
  const before = s.now()
  expect((await s.customer(ASHA).says('read')).text).toBe('import')
  expect(s.now()).toEqual(before)
})

it('settles sends of the app outside a turn, awaited or not', async () => {
  const bot = createBot()
  bot.otherwise((ctx) => ctx.reply('hello'))
  await using s = await scenario(bot)
  const asha = s.customer(ASHA)
  await asha.says('hi')
  s.faults.next(500)
  const sent = await bot.to(ASHA).send('awaited', { key: 'one' })
  expect(sent.via).toBe('freeform')
  await bot.to(ASHA).send('stored', { key: 'two', wait: 'stored' })
  await s.advance('1s')
  const arrived = asha.thread.filter(({ refused }) => refused === undefined).slice(2)
  expect(arrived.map(({ text, status }) => [text, status])).toEqual([
    ['awaited', 'delivered'],
    ['stored', 'delivered'],
  ])
})

it('a handler may send through a service of the app that knows nothing of the delivery', async () => {
  const bot = createBot()
  const orders = { ready: (id: string) => bot.to(ASHA).send(`Order ${id} is ready.`, { key: ['ready', id] }) }
  bot.hears('ready', async () => void (await orders.ready('7')))
  await using s = await scenario(bot)
  s.faults.next(500)
  expect((await s.customer(ASHA).says('ready')).text).toBe('Order 7 is ready.')
})

it('shows a one-time code only on the handset', async () => {
  const { oneTimeCode } = await import('switchhook')
  const bot = createBot()
  await using s = await scenario(bot, { templates: [{ name: 'login', language: 'sw', category: 'AUTHENTICATION' }] })
  await bot.to(ASHA).send(oneTimeCode('login', 'sw', '481516'), { key: ['login', 1] })
  await s.advance(0)
  const asha = s.customer(ASHA)
  expect(asha.codes).toEqual(['481516'])
  expect(JSON.stringify(asha.thread)).not.toContain('481516')
})

it('lasts until a code of the app, which waits in no lane, is tried again', async () => {
  const { oneTimeCode } = await import('switchhook')
  const bot = createBot()
  const send = (to: string) => bot.to(to).send(oneTimeCode('login', 'sw', '481516'), { key: ['login', 1] })
  bot.hears('login', (ctx) => void send(ctx.customer).catch(() => {}))
  await using s = await scenario(bot, { templates: [{ name: 'login', language: 'sw', category: 'AUTHENTICATION' }] })
  s.faults.next(429)
  const asha = s.customer(ASHA)
  await asha.says('login')
  expect(asha.codes).toEqual(['481516'])
})
