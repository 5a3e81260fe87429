import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type BotOptions, buttons, createBot, tap } from 'switchhook'
import { serve } from 'switchhook/node'
import { scenario } from 'switchhook/testing'
import { z } from 'zod'
import { createEmulator } from '../../../src/emulator/emulator.ts'
import { readRecording } from '../../../src/emulator/recording/recording.ts'
import { freePort } from '../../support/free-port.ts'
import { ASHA, JUMA } from '../../support/people.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { switchhook } from './support.ts'

function shop(hours: string, options: BotOptions = {}) {
  const bot = createBot(options)
  const track = tap('track', z.object({ order: z.string() }))
  bot.hears('hours', (ctx) => ctx.reply(hours))
  bot.hears('order', (ctx) => ctx.reply(buttons('Which one?', [track.option('The first', { order: '7781' })])))
  bot.tapped(track, (ctx) => ctx.reply(`Order ${ctx.params.order} is on its way`))
  bot.on('message.status', () => {})
  return bot
}

it("yesterday's messages, exported from the app's database, are a snapshot test of today's code", async () => {
  const folder = temporaryFolder()
  const port = await freePort()
  await using emulator = await createEmulator({ webhook: `http://127.0.0.1:${port}/webhooks/messages` })
  const { url: baseUrl, accessToken, signingSecret } = emulator
  const database = join(folder, 'switchhook.db')
  const app = await serve(shop('9 to 17', { baseUrl, accessToken, signingSecret, database, logger: false }), { port })
  const asha = emulator.customer(ASHA)
  const last = async () => (await asha.thread()).at(-1)
  await asha.says('hours')
  await expect.poll(async () => (await last())?.['text']).toBe('9 to 17')
  await emulator.customer(JUMA).says('hours')
  await asha.says('order')
  await expect.poll(async () => (await last())?.['text']).toBe('Which one?')
  const [option] = ((await last())?.interactive as { buttons?: readonly { id: string }[] } | undefined)?.buttons ?? []
  await asha.taps(option?.id ?? '')
  await expect.poll(async () => (await last())?.['text']).toBe('Order 7781 is on its way')
  await app.close()

  const file = join(folder, 'yesterday.json')
  const exported = await switchhook(['inbox', 'export', '--reveal', '--database', database, '--out', file], {}, folder)
  expect([exported.code, exported.stderr]).toEqual([0, expect.stringMatching(/^4 deliveries in .*; \d+ left out/)])
  const { steps } = readRecording(JSON.parse(readFileSync(file, 'utf8')))
  expect(steps).toMatchObject([
    { customer: ASHA, text: 'hours', replies: [{ to: ASHA, text: '9 to 17' }] },
    { customer: JUMA, text: 'hours', replies: [{ to: JUMA, text: '9 to 17' }] },
    { customer: ASHA, text: 'order', replies: [{ text: 'Which one?', options: ['The first'] }] },
    { customer: ASHA, text: 'The first', replies: [{ text: 'Order 7781 is on its way' }] },
  ])

  const transcriptOf = async (hours: string) => {
    await using s = await scenario(shop(hours))
    return (await s.play(file)).replaceAll(/^\S+Z /gm, '')
  }
  const before = await transcriptOf('9 to 17')
  expect(before).toBe(`${ASHA} message.received "hours"
  → "9 to 17" to ${ASHA}
${JUMA} message.received "hours"
  → "9 to 17" to ${JUMA}
${ASHA} message.received "order"
  → interactive "Which one?" [The first] to ${ASHA}
${ASHA} message.received "The first"
  → "Order 7781 is on its way" to ${ASHA}`)
  expect(await transcriptOf('9 to 17')).toBe(before)
  expect(await transcriptOf('10 to 18')).toBe(before.replaceAll('9 to 17', '10 to 18'))
})
