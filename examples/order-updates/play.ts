/** The life of three orders against an emulator of the service. Exits with 1 if a customer was not told. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createBot } from 'switchhook'
import { createEmulator } from 'switchhook/emulator'
import { serve } from 'switchhook/node'
import { createUpdates } from './updates.ts'

const ASHA = { id: '7781', phone: '255712000101' }
const JUMA = { id: '7782', phone: '255712000102' }
const NEEMA = { id: '7783', phone: '255712000103' }
const HOUR_MS = 3_600_000

const folder = mkdtempSync(join(tmpdir(), 'order-updates-'))
const emulator = await createEmulator()
await emulator.templates.add({ name: 'order_update', language: 'en', body: 'Your order {{1}} is {{2}}.' })
await emulator.templates.add({ name: 'pickup_reminder', language: 'en', body: 'Your order {{1}} still waits for you.' })

const bot = createBot({
  baseUrl: emulator.url,
  accessToken: emulator.accessToken,
  signingSecret: emulator.signingSecret,
  database: join(folder, 'switchhook.db'),
  logger: false,
})
const updates = createUpdates(bot)
bot.on('message.status', (ctx) => updates.heard(ctx))
bot.otherwise((ctx) => ctx.reply('We tell you when your order moves.'))
const served = await serve(bot, { port: 0 })
await emulator.subscriptions.register({ url: served.url, secret: emulator.signingSecret })

try {
  scene('Asha has just written: she gets a text')
  await emulator.customer(ASHA.phone).says('hello')
  await shows(ASHA, 'We tell you when your order moves.')
  await updates.moved(ASHA, 'on its way')
  await shows(ASHA, 'Order 7781 is on its way.')

  scene('Juma has never written: he gets the template')
  await updates.moved(JUMA, 'on its way')
  await shows(JUMA, 'Your order 7782 is on its way.')

  scene('Both orders are ready, and a reminder is set for tomorrow; Asha collects hers')
  const tomorrow = new Date(Date.now() + 24 * HOUR_MS)
  for (const order of [ASHA, JUMA]) {
    await updates.moved(order, 'ready')
    await updates.remindAt(tomorrow, order)
  }
  await shows(ASHA, 'Order 7781 is ready.')
  await updates.collected(ASHA)
  await emulator.clock.advance('25h', { tellApp: true })
  await shows(JUMA, 'Your order 7782 still waits for you.')

  scene('Said twice, sent once: the key says what it is about')
  await updates.moved(JUMA, 'ready')
  told(`Juma's phone shows ${await countOf(JUMA, 'Your order 7782 is ready.')} message that his order is ready`)

  scene('A message that cannot be delivered is found in the ledger')
  await emulator.customer(NEEMA.phone).setHandset({ blocked: true })
  await updates.moved(NEEMA, 'ready')
  await until(() => updates.ledger.get('7783:ready')?.status === 'failed')
  const { status } = updates.ledger.get('7783:ready') ?? {}
  told(`${NEEMA.phone}  has blocked the number: the status of 7783:ready is ${status}`)

  scene('The ledger')
  for (const { ref, via, status } of updates.ledger.values())
    told(`${ref.padEnd(18)} ${via.padEnd(10)} ${status ?? ''}`)
} finally {
  await served.close()
  await emulator.close()
  rmSync(folder, { recursive: true, force: true })
}

function scene(title: string): void {
  console.log(`\n${title}`)
}

function told(line: string): void {
  console.log(`  ${line}`)
}

async function countOf({ phone }: { phone: string }, text: string): Promise<number> {
  return (await emulator.customer(phone).thread()).filter((item) => item.text === text).length
}

async function shows(order: { phone: string }, text: string): Promise<void> {
  await until(async () => (await countOf(order, text)) > 0)
  told(`${order.phone}  ${text}`)
}

async function until(holds: () => unknown): Promise<void> {
  // A minute, which is long enough for a busy machine.
  for (let left = 2_400; !(await holds()); left--) {
    if (left === 0) throw new Error('it did not come to pass')
    await wait(25)
  }
}
