import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createBot } from '../../../src/bot/switchhook.ts'
import { scenario } from '../../../src/kit/testing/testing.ts'
import { fixtureOf, writeFixtures } from '../../support/fixtures.ts'
import { temporaryFolder } from '../../support/folder.ts'

const file = new URL('../../vectors/payloads.json', import.meta.url)
const { payloads } = JSON.parse(readFileSync(file, 'utf8')) as {
  payloads: { name: string; event: string; body: string }[]
}
const fixtures = payloads
  .filter(({ name }) => !['R8', 'R11'].includes(name))
  .map(({ event, body }) => fixtureOf(event, body))

it('a scenario with recorded payloads hands the handlers the shapes of the service, and otherwise behaves as usual [R EVT-09]', async () => {
  const seen: unknown[] = []
  const bot = createBot()
  bot.hears('hi', (ctx) => {
    seen.push(Object.keys(ctx.event.json as object))
    return ctx.reply('Hello')
  })
  bot.tapped('size:41', (ctx) => ctx.reply('Size 41'))
  await using s = await scenario(bot, { payloads: writeFixtures(temporaryFolder(), fixtures) })
  for (const customer of ['255700000901', '255700000902']) {
    const turn = await s.customer(customer).says('hi')
    expect(turn.text).toBe('Hello')
  }
  // The recorded texts are R1; R8 was left out, since its customer is hidden.
  expect(seen).toEqual([
    ['id', 'event', 'created_at', 'data'],
    ['id', 'event', 'created_at', 'data'],
  ])
})
