import { existsSync } from 'node:fs'
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe } from 'vitest'
import type { World } from '../../support/world.ts'

const KNOWN_PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

const found = [process.env['CHROMIUM'] ?? '', ...KNOWN_PLACES].find((path) => path !== '' && existsSync(path))

if (found === undefined)
  process.stderr.write(
    'SKIPPED: the tests of the page need a Chromium, and none was found. On Debian: apt-get install chromium; ' +
      'elsewhere CHROMIUM names the program.\n',
  )

/** Like `describe`, with a browser that its tests share. Without a browser the tests are skipped, with a warning. */
export function describeInBrowser(what: string, tests: (browser: () => Browser) => void, flags: string[] = []): void {
  describe.skipIf(found === undefined)(what, () => {
    let opened: Browser
    beforeAll(async () => {
      opened = await openBrowser(flags)
    })
    afterAll(() => opened.close())
    tests(() => opened)
  })
}

const ARGUMENTS = [
  // Chromium refuses its sandbox to root, and the only page is our own.
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export function openBrowser(flags: readonly string[] = []): Promise<Browser> {
  return chromium.launch({ ...(found !== undefined && { executablePath: found }), args: [...ARGUMENTS, ...flags] })
}

export interface Opened extends AsyncDisposable {
  readonly page: Page
  /** The errors and warnings of the browser, of which there should be none. */
  readonly complaints: string[]
}

/** Opens the page of a world's emulator, in its own browser profile and with the control token of the run. */
export async function openPage(
  browser: Browser,
  { emulator }: Pick<World, 'emulator'>,
  o: { view?: string; token?: string } & BrowserContextOptions = {},
): Promise<Opened> {
  const { view = '', token = emulator.controlToken, ...options } = o
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  })
  context.setDefaultTimeout(60_000)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (line) => {
    if (line.type() === 'error' || line.type() === 'warning') complaints.push(line.text())
  })
  await page.goto(`${emulator.url}/#token=${token}${view}`)
  await page
    .getByRole('status')
    .getByText(token === emulator.controlToken ? 'Live' : /^(Live|Locked)$/)
    .waitFor()
  return { page, complaints, [Symbol.asyncDispose]: () => context.close() }
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
