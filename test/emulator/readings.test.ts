import { expect, it } from 'vitest'
import { buttons, createBot, template } from 'switchhook'
import { scenario } from 'switchhook/testing'
import { type Assumptions, createEmulator } from '../../src/emulator/emulator.ts'
import { CUSTOMER as ASHA } from './support/api.ts'

/** The readings of each switch other than the usual one; of those that take any number some that differ in kind. */
const OTHERS: { readonly [Name in keyof Assumptions]: readonly Assumptions[Name][] } = {
  validation: ['detail'],
  keysRememberedFor: ['until_settled', 'literal', 'codes_until_settled'],
  statusCase: ['upper', 'lower'],
  unknownTemplateState: ['send'],
  templateParameters: ['send'],
  signalWindow: ['ignored'],
  description: ['open'],
  contentType: ['ignored'],
  emptyHeaders: ['refuse'],
  redirects: ['taken'],
  upstreamMs: [900],
  statusAfterMs: [{ sent: 5_000, delivered: 0 }],
  payloadShape: [0, 1, 2],
  declaredEvents: ['unpublished'],
  localEndpoints: ['refuse'],
  retriesSigned: ['as_first'],
  attemptTimeoutMs: [1_000],
  retryAfterMs: [[0], [600_000]],
  retryForMs: [0],
  attemptsAtOnce: [1],
}

const readings = Object.entries(OTHERS).flatMap(([name, values]) => values.map((value) => ({ [name]: value })))

it('are all switched here', async () => {
  await using emulator = await createEmulator()
  expect(Object.keys(OTHERS).sort()).toEqual(Object.keys(await emulator.assumptions.get()).sort())
})

it.each(readings)('a bot behaves the same under %j [B SEND-24 EVT-03 GEN-04 GEN-05 IDEM-07]', async (assumptions) => {
  const bot = createBot()
  bot.hears('menu', (ctx) => ctx.reply(buttons('Which?', [{ id: 'track', title: 'Track order' }])))
  bot.tapped('track', (ctx) => ctx.reply('On its way'))
  const delivered: unknown[] = []
  bot.on('message.status:delivered', (ctx) => void delivered.push(ctx.sent?.ref))
  await using s = await scenario(bot, {
    assumptions,
    templates: [{ name: 'order_ready', language: 'sw', body: 'Oda {{1}} iko tayari' }],
  })
  const asha = s.customer(ASHA)
  await asha.says('menu')
  expect((await asha.taps('Track order')).text).toBe('On its way')
  s.faults.loseNextAnswer()
  const sent = bot.to(ASHA).send('Packed', { key: 'packed', ref: '7' })
  await s.advance('11m')
  // Only where the service forgets keys may there be two, and then the send is marked.
  const { keysRememberedFor = '24h' } = assumptions
  const possiblyTwice = keysRememberedFor === 'until_settled' || keysRememberedFor === 'literal'
  expect(await sent).toMatchObject({ send: { state: 'accepted', possiblyTwice } })
  expect(delivered).toContain('7')
  await s.advance('24h')
  const outsideWindow = template('order_ready', 'sw', { body: ['7'] })
  expect((await bot.to(ASHA).send('Ready', { key: 'ready', outsideWindow })).via).toBe('template')
  const texts = asha.thread.filter(({ from, refused }) => from === 'app' && !refused).map(({ text }) => text)
  const packed = Array<string>(possiblyTwice ? 2 : 1).fill('Packed')
  expect(texts).toEqual(['Which?', 'On its way', ...packed, 'Oda 7 iko tayari'])
})
