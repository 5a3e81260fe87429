import { buttons, createBot, media, template } from 'switchhook'
import { createEmulator } from 'switchhook/emulator'
import { serve } from 'switchhook/node'
import { playAsTest, scenario } from 'switchhook/testing'
import { expect, it } from 'vitest'
import { templatesFor, toPlayFile } from '../../src/page/recorder/play-file.ts'
import { record } from '../../src/page/recorder/record.ts'
import type { Happening } from '../../src/page/wire/happenings.ts'
import type { ListedTemplate } from '../../src/page/wire/types.ts'

const ASHA = '255712000101'

interface Connection {
  baseUrl?: string
  accessToken?: string
  signingSecret?: string
}

function shop(hours: string, connection: Connection = {}) {
  const bot = createBot({ ...connection, database: ':memory:', logger: false })
  bot.hears('hours', (ctx) => ctx.reply(hours))
  bot.tapped('track', (ctx) => ctx.reply('On its way'))
  bot.on('order.paid', () =>
    bot.to(ASHA).send('Order 7781 is paid.', {
      key: ['paid', 7781],
      outsideWindow: template('order_paid', 'sw', { body: ['7781'] }),
    }),
  )
  bot.otherwise((ctx) => ctx.reply(buttons('How can we help?', [{ id: 'track', title: 'Track order' }])))
  return bot
}

/** A bot that runs beside an emulator. */
async function open(made: (connection: Connection) => Parameters<typeof serve>[0]) {
  const secret = 'whsec_recorder'
  const emulator = await createEmulator({ secret })
  const bot = made({ baseUrl: emulator.url, accessToken: emulator.accessToken, signingSecret: secret })
  const app = await serve(bot, { port: 0 })
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${emulator.url}/_emulator/${path}`, {
      method,
      headers: { Authorization: `Bearer ${emulator.controlToken}` },
      ...(body && { body: JSON.stringify(body) }),
    })
    return (await response.json()) as { items: never[] }
  }
  await call('POST', 'subscriptions', { url: app.url, secret })
  await call('POST', 'templates', { name: 'order_paid', language: 'sw', body: 'Oda {{1}} imelipwa' })
  const timeline = async () => (await call('GET', 'timeline')).items as Happening[]
  return {
    call,
    async recorded(name: string) {
      const events = (await call('GET', 'events')).items as { id: string; payload: string }[]
      const { steps, templates, notes } = record({
        happenings: await timeline(),
        after: '',
        payloads: new Map(events.map(({ id, payload }) => [id, JSON.parse(payload) as unknown])),
      })
      expect(notes).toEqual([])
      const listed = (await call('GET', 'templates')).items as ListedTemplate[]
      return toPlayFile(
        name,
        steps.map(({ step }) => step),
        templatesFor(templates, listed),
      )
    },
    /** Runs an action, and waits until the app has sent this many messages in all. */
    async act(run: () => Promise<unknown>, sent: number) {
      await run()
      await expect.poll(async () => new Set((await timeline()).flatMap(sentBy)).size).toBe(sent)
    },
    async [Symbol.asyncDispose]() {
      await app.close()
      await emulator.close()
    },
  }
}

function sentBy(happening: Happening): string[] {
  return happening.kind === 'thread' && happening.item.direction === 'OUTBOUND' ? [happening.item.id] : []
}

it('a recording of a running app passes against the same app, and fails if the app answers something else', async () => {
  await using world = await open((connection) => shop('9 to 17', connection))
  const { call, act } = world
  const path = `customers/${ASHA}/messages`
  await act(() => call('POST', path, { text: 'hi' }), 1)
  await act(() => call('POST', path, { tap: 'track' }), 2)
  await act(() => call('POST', path, { text: 'hours' }), 3)
  await call('POST', 'clock', { advance: '25h' })
  await act(() => call('POST', `customers/${ASHA}/orders`, { amount: '10.00', currency: 'TZS' }), 4)

  const file = await world.recorded('a day at the shop')
  expect(file.steps.map(({ expect: expected }) => expected?.length)).toEqual([1, 1, 1, 0, 1])

  await using same = await scenario(shop('9 to 17'))
  await same.play(file)
  await using other = await scenario(shop('10 to 16'))
  await expect(other.play(file)).rejects.toMatchObject({ code: 'play_failed', step: 3 })
})

function workshop(connection: Connection = {}) {
  const bot = createBot({ ...connection, database: ':memory:', logger: false, burst: { quiet: '500ms' } })
  const repair = bot.conversation(
    'repair',
    { version: 1, timeout: '20h', onEnd: (ctx, why) => ctx.reply(`It is closed: ${why}.`) },
    async (chat) => {
      const photos = await chat.ask('Photos of it, please', { as: media('image', { max: 3 }) })
      const when = await chat.ask(buttons(`${photos.length} photos. When?`, [{ id: 'soon', title: 'Soon' }]))
      await chat.say(`We come ${when}.`)
      await chat.sleep('2d')
      await chat.ask('Does it work again?', { outsideWindow: template('repaired', 'sw', { body: ['7781'] }) })
      await chat.say('Good.')
    },
  )
  bot.hears('repair', (ctx) => ctx.enter(repair))
  bot.otherwise((ctx) => ctx.reply(`${ctx.messages.length} messages for a person`))
  return bot
}

it('a recorded conversation is a test that reads as it was played, with its photos in a row, taps and clock jumps', async () => {
  await using world = await open(workshop)
  const { call, act } = world
  await call('POST', 'templates', { name: 'repaired', language: 'sw', body: 'Oda {{1}}: inafanya kazi?' })
  const path = `customers/${ASHA}/messages`
  const photo = (caption: string) => ({ media: { kind: 'image', url: 'https://media.example/1.jpg', caption } })
  await act(() => call('POST', path, { text: 'repair' }), 1)
  await act(async () => {
    await call('POST', path, photo('the front'))
    await call('POST', path, photo('the back'))
  }, 2)
  await act(() => call('POST', path, { tap: 'soon' }), 3)
  await act(async () => {
    await call('POST', path, { text: 'and please' })
    await call('POST', path, { text: 'be careful' })
  }, 4)
  await act(() => call('POST', 'clock', { advance: '2d', tellApp: true }), 5)
  await act(() => call('POST', path, { text: 'Yes' }), 6)
  await act(() => call('POST', path, { text: 'repair' }), 7)
  await act(() => call('POST', 'clock', { advance: '20h', tellApp: true }), 8)

  const file = await world.recorded('a repair')
  await using same = await scenario(workshop())
  await same.play(file)
  const [, written] = playAsTest(file).split("s.customer('255712000101')\n\n")
  expect(
    written,
  ).toBe(`  expect(await customer.says('repair')).toHaveSent([{ to: '255712000101', text: 'Photos of it, please' }])
  expect(await customer.sends(
    'image',
    { url: 'https://media.example/1.jpg', caption: 'the front' },
    { url: 'https://media.example/1.jpg', caption: 'the back' },
  )).toHaveSent([{ to: '255712000101', kind: 'interactive', text: '2 photos. When?', options: ['Soon'] }])
  expect(await customer.taps('Soon')).toHaveSent([{ to: '255712000101', text: 'We come soon.' }])
  expect(await customer.says('and please', 'be careful')).toHaveSent([
    { to: '255712000101', text: '2 messages for a person' },
  ])
  expect(await s.advance('48h')).toHaveSent([
    {
      to: '255712000101',
      text: 'Oda 7781: inafanya kazi?',
      template: { name: 'repaired', language: 'sw', body: ['7781'] },
    },
  ])
  expect(await customer.says('Yes')).toHaveSent([{ to: '255712000101', text: 'Good.' }])
  expect(await customer.says('repair')).toHaveSent([{ to: '255712000101', text: 'Photos of it, please' }])
  expect(await s.advance('20h')).toHaveSent([{ to: '255712000101', text: 'It is closed: timeout.' }])
})
`)
})
