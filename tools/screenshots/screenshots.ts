/**
 * Takes the pictures of the README and the docs from the running pages.
 * `npm run screenshots` writes them to `docs/screenshots`; `npm run screenshots folder` writes all widths of both pages.
 */
import { mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { buttons, createBot, list, template } from '../../src/bot/switchhook.ts'
import { serve } from '../../src/bot/inbox/adapters/node.ts'
import { createEmulator } from '../../src/emulator/emulator.ts'
import { takeAdminPictures } from './admin-page.ts'
import { takeDeskPictures, takeIcon, takeSideBySide } from './desk-page.ts'
import { LAUNCH, openPage, thread, write } from '../../test/pages/emulator/support/browser.ts'

const WIDTHS = [1440, 1024, 390] as const
const WIDE = { width: 1440, height: 900 } as const
/** The picture of the README, which a page of code shows about 830 pixels wide: its words must still be read there. */
const README = { width: 1180, height: 820 } as const
const CUSTOMER = '255712000101'

const wanted = process.argv[2]
const folder = wanted ?? new URL('../../docs/screenshots/', import.meta.url).pathname
mkdirSync(folder, { recursive: true })

await using emulator = await createEmulator({ seed: 7 })
await emulator.templates.add({
  name: 'order_ready',
  language: 'en',
  body: 'Order {{1}} is ready. Come by until {{2}}.',
})
await emulator.templates.add({ name: 'login_code', language: 'en', category: 'AUTHENTICATION' })

const bot = createBot({
  baseUrl: emulator.url,
  accessToken: emulator.accessToken,
  signingSecret: emulator.signingSecret,
  database: join(mkdtempSync(join(tmpdir(), 'switchhook-')), 'shop.db'),
})
bot.hears('hours', (ctx) => ctx.reply('We are open 9 to 17, Monday to Saturday.'))
bot.hears('menu', (ctx) =>
  ctx.reply(
    list(
      'What is it about?',
      {
        Orders: [
          { id: 'track', title: 'Track an order', description: 'Where is it now?' },
          { id: 'cancel', title: 'Cancel an order', description: 'Until it is on its way' },
        ],
        'The shop': [{ id: 'where', title: 'Where we are' }],
      },
      { button: 'Choose' },
    ),
  ),
)
bot.tapped('track', (ctx) => ctx.reply('Your order A-17 is on its way.'))
bot.otherwise((ctx) =>
  ctx.reply(
    buttons('Welcome to the shop. How can we help?', [
      { id: 'track', title: 'Track an order' },
      { id: 'hours', title: 'Opening hours' },
    ]),
  ),
)
const app = await serve(bot, { port: 0 })
await emulator.subscriptions.register({ url: app.url, secret: emulator.signingSecret })

const browser = await chromium.launch(LAUNCH)
try {
  await using opened = await openPage(browser, { emulator })
  const { page } = opened
  await talk(page)
  await picture(page, 'conversation')
  await closeWindow(page)
  await picture(page, 'refused', README)
  await openSignature(page)
  await picture(page, 'signature')
  await emulator.faults.set([
    { on: 'send', do: 'lose_answer', next: 1 },
    { on: 'delivery', do: 'duplicate', every: 3 },
  ])
  await page.keyboard.press('Escape')
  await page.getByText('2 faults armed').click()
  await picture(page, 'faults')
} finally {
  await browser.close()
  await app.close()
}
await takeAdminPictures(folder, { all: wanted !== undefined })
if (wanted === undefined) await takeIcon()
await takeDeskPictures(folder, { all: wanted !== undefined })
await takeSideBySide(folder)

async function talk(page: Page): Promise<void> {
  await write(page, 'hello')
  await page.getByRole('button', { name: 'Track an order' }).click()
  await thread(page).getByText('on its way').waitFor()
  await write(page, 'hours')
  await thread(page).getByText('9 to 17').waitFor()
  await write(page, 'menu')
  await thread(page).getByText('Choose').waitFor()
}

/** Moves the clock by a day: a free-form message is refused, and the template arrives. */
async function closeWindow(page: Page): Promise<void> {
  await emulator.clock.advance('25h')
  const send = { to: CUSTOMER, text: 'Your order A-17 is ready.' }
  await fetch(`${emulator.url}/api/v2/messages`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${emulator.accessToken}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(send),
  })
  await bot.to(CUSTOMER).send(template('order_ready', 'en', { body: ['A-17', 'Friday'] }), { key: 'order-17' })
  await thread(page).getByText('Come by until Friday').waitFor()
}

/** Opens a delivery whose signature was changed on its way. */
async function openSignature(page: Page): Promise<void> {
  const { deliveryIds } = await emulator.customer(CUSTOMER).says('thank you')
  await emulator.deliveries.wait(({ id, state }) => id === deliveryIds[0] && state === 'delivered')
  await fetch(`${emulator.url}/_emulator/deliveries/${deliveryIds[0]}/redeliver`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${emulator.controlToken}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ tamper: 'signature' }),
  })
  await page.locator('.rows .row', { hasText: '401' }).last().click()
  await page.getByText('Signed string', { exact: true }).scrollIntoViewIfNeeded()
}

/** Takes a picture, at all widths if a folder was named. */
async function picture(page: Page, name: string, size: typeof WIDE | typeof README = WIDE): Promise<void> {
  const sizes = wanted === undefined ? [size] : WIDTHS.map((width) => ({ ...WIDE, width }))
  for (const { width, height } of sizes) {
    await page.setViewportSize({ width, height })
    // After two frames everything is rendered.
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))')
    await page.screenshot({ path: join(folder, wanted === undefined ? `${name}.png` : `${name}-${width}.png`) })
  }
  await page.setViewportSize(WIDE)
}
