/** Takes the pictures of the admin page: the overview for the docs, or `all` views, wide and narrow, in light and in dark. */
import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { LAUNCH } from '../../test/pages/emulator/support/browser.ts'
import { openAdmin } from '../../test/admin/support/page.ts'
import { CUSTOMERS, openShop, SECRET_TEXT } from '../../test/admin/support/shop.ts'

const SIZES = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
] as const

type Shop = Awaited<ReturnType<typeof openShop>>

export async function takeAdminPictures(folder: string, { all }: { all: boolean }): Promise<void> {
  await using shop = await openShop()
  await talk(shop)
  const browser = await chromium.launch(LAUNCH)
  try {
    for (const viewport of all ? SIZES : SIZES.slice(0, 1))
      for (const colorScheme of all ? (['light', 'dark'] as const) : (['light'] as const)) {
        await using opened = await openAdmin(browser, `${shop.url}/admin/`, { viewport, colorScheme })
        const { page } = opened
        const picture = async (view: string) => {
          // After two frames everything is rendered.
          await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))')
          await page.screenshot({ path: join(folder, `admin-${view}-${viewport.width}-${colorScheme}.png`) })
        }
        await takeOverview(page, picture)
        if (all) await takeViews(page, shop, picture)
      }
  } finally {
    await browser.close()
  }
}

/** An afternoon of a shop: much was answered, two deliveries are dead, the outcome of one send is unknown. */
async function talk({ emulator, bot }: Shop): Promise<void> {
  const [first, second, third] = CUSTOMERS
  for (let round = 0; round < 8; round++)
    for (const customer of CUSTOMERS) await emulator.customer(customer).says(round % 3 === 0 ? 'hours' : 'hello')
  await emulator.customer(first).says(SECRET_TEXT)
  await emulator.customer(second).says('price of bread')
  await emulator.customer(first).says('remind')
  await emulator.faults.set([{ on: 'send', do: 'lose_answer', next: 1 }])
  await bot.to(third).send('We are closed tomorrow.', { key: 'closed', wait: 'stored' })
  await emulator.deliveries.wait(({ event }) => event === 'message.status')
}

type Picture = (view: string) => Promise<void>

async function takeOverview(page: Page, picture: Picture): Promise<void> {
  await page
    .getByRole('link', { name: /^Dead\s*2/ })
    .first()
    .waitFor()
  await picture('overview')
}

async function takeViews(page: Page, { url }: Shop, picture: Picture): Promise<void> {
  await page.goto(`${url}/admin/#/deliveries`)
  await page.getByText('Messages', { exact: true }).click()
  await page.locator('a.row', { hasText: 'dead' }).first().waitFor()
  await picture('deliveries')
  await page.goto(`${url}/admin/#/deliveries?state=dead`)
  await page.locator('a.row').first().click()
  await page.locator('.facts a').first().waitFor()
  await picture('delivery')
  await page.locator('.facts a').first().click()
  await page.getByRole('heading').first().waitFor()
  await picture('customer')
}
