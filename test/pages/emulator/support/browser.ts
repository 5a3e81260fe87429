import { existsSync } from 'node:fs'
import {
  type Browser,
  type BrowserContextOptions,
  chromium,
  type LaunchOptions,
  type Locator,
  type Page,
} from 'playwright-core'
import { afterAll, beforeAll, describe, inject } from 'vitest'
import type { World } from '../../../support/world.ts'
import { openTab, type Tab } from './tab.ts'

const KNOWN_PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

const found = process.env['CHROMIUM'] ?? KNOWN_PLACES.find((path) => existsSync(path))

/** Like `describe`, with the browser that all files share. */
export function describeInBrowser(what: string, tests: (browser: () => Browser) => void): void {
  describe(what, () => {
    let opened: Browser
    beforeAll(async () => {
      opened = await chromium.connect(inject('browser'))
    })
    afterAll(() => opened.close())
    tests(() => opened)
  })
}

/** How Chromium starts here. */
export const LAUNCH: LaunchOptions = {
  ...(found !== undefined && { executablePath: found }),
  args: [
    // Chromium refuses its sandbox to root, and the only page is our own.
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
}

/** Opens the page of a world's emulator with the control token of the run; options make a separate browser profile. */
export async function openPage(
  browser: Browser,
  { emulator }: Pick<World, 'emulator'>,
  o: { view?: string; token?: string } & BrowserContextOptions = {},
): Promise<Tab> {
  const { view = '', token = emulator.controlToken, ...options } = o
  const tab = await openTab(browser, options)
  const { page } = tab
  await page.goto(`${emulator.url}/#token=${token}${view}`)
  await page
    .getByRole('status')
    .getByText(token === emulator.controlToken ? 'Live' : /^(Live|Locked)$/)
    .waitFor()
  return tab
}

/** Writes as the customer in the page's field. */
export async function write(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message', { exact: true }).fill(text)
  await page.keyboard.press('Enter')
}

/** The conversation on the phone. */
export function thread(page: Page): Locator {
  return page.getByRole('log', { name: 'Conversation' })
}

export function clipboard(page: Page): Promise<string> {
  return page.evaluate('navigator.clipboard.readText()')
}
