import { buttons, createBot, template } from 'switchhook'
import { createEmulator } from 'switchhook/emulator'
import { serve } from 'switchhook/node'
import { scenario } from 'switchhook/testing'
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

/** A shop that runs beside an emulator. */
async function open() {
  const secret = 'whsec_recorder'
  const emulator = await createEmulator({ secret })
  const bot = shop('9 to 17', { baseUrl: emulator.url, accessToken: emulator.accessToken, signingSecret: secret })
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
    timeline,
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
  await using world = await open()
  const { call, act } = world
  const path = `customers/${ASHA}/messages`
  await act(() => call('POST', path, { text: 'hi' }), 1)
  await act(() => call('POST', path, { tap: 'track' }), 2)
  await act(() => call('POST', path, { text: 'hours' }), 3)
  await call('POST', 'clock', { advance: '25h' })
  await act(() => call('POST', `customers/${ASHA}/orders`, { amount: '10.00', currency: 'TZS' }), 4)

  const events = (await call('GET', 'events')).items as { id: string; payload: string }[]
  const { steps, templates, notes } = record({
    happenings: await world.timeline(),
    after: '',
    payloads: new Map(events.map(({ id, payload }) => [id, JSON.parse(payload) as unknown])),
  })
  const listed = (await call('GET', 'templates')).items as ListedTemplate[]
  const file = toPlayFile(
    'a day at the shop',
    steps.map(({ step }) => step),
    templatesFor(templates, listed),
  )
  expect(notes).toEqual([])
  expect(steps.map(({ step }) => step.expect?.length)).toEqual([1, 1, 1, 0, 1])

  await using same = await scenario(shop('9 to 17'))
  await same.play(file)
  await using other = await scenario(shop('10 to 16'))
  await expect(other.play(file)).rejects.toMatchObject({ code: 'play_failed', step: 3 })
})
