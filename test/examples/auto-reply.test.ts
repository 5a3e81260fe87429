import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { besideEmulator } from './beside-emulator.ts'

const BOT = resolve(import.meta.dirname, '../../examples/auto-reply/bot.ts')
const TEMPLATES = JSON.parse(readFileSync(resolve(BOT, '../templates.json'), 'utf8')) as Record<string, string>[]

it('the auto-reply example serves a customer from the first word to the state of an order', async () => {
  await using shop = await besideEmulator(BOT)
  const { emulator, asha, last } = shop
  for (const one of TEMPLATES) await emulator.templates.add(one)
  await asha.says('good morning')
  await last('How can we help?')
  await asha.taps('track')
  await last('Send us the number of your order, for instance 7781.')
  await asha.says('#7781')
  await last('Order 7781 is ready to be picked up.')
  await asha.says('9999')
  await last('We know no order 9999.')
  await asha.says('SAA')
  await last('We are open from 9 to 17, Monday to Saturday.')
  await asha.says('7782')
  await last('Order 7782 is on its way.')
  await emulator.clock.advance('25h', { tellApp: true })
  await last('Order 7782 is ready to be picked up.')
  expect((await asha.thread()).at(-1)?.template?.name).toBe('order_ready')
})
