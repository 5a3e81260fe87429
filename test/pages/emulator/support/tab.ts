import type { Browser, BrowserContextOptions, Page } from 'playwright-core'

/** A tab of a browser, and what went wrong in it. */
export interface Tab extends AsyncDisposable {
  readonly page: Page
  /** The errors and warnings of the browser, of which there should be none. */
  readonly complaints: string[]
}

/** Shorter while faults are planted, which what is waited for may never overcome. */
export const LONGEST_WAIT_MS = Number(process.env['SWITCHHOOK_LONGEST_WAIT_MS'] ?? 60_000)

const USUAL: BrowserContextOptions = {
  viewport: { width: 1440, height: 900 },
  reducedMotion: 'reduce',
  permissions: ['clipboard-read', 'clipboard-write'],
}

/**
 * The tabs of each browser that a test has given back. The start of a tab is three quarters of the CPU of opening a page;
 * and no test finds another one's traces, because each has its own servers, and so its pages have another origin.
 */
const given = new WeakMap<Browser, Page[]>()

/** @param options make a tab in its own browser profile; without any the tab may be one that a test returned. */
export async function openTab(browser: Browser, options: BrowserContextOptions = {}): Promise<Tab> {
  const isUsual = Object.keys(options).length === 0
  const page = (isUsual && given.get(browser)?.pop()) || (await newPage(browser, { ...USUAL, ...options }))
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (line) => {
    if (line.type() === 'error' || line.type() === 'warning') complaints.push(line.text())
  })
  return {
    page,
    complaints,
    async [Symbol.asyncDispose]() {
      if (!isUsual || page.context().pages().length > 1 || page.isClosed()) return page.context().close()
      await clear(page)
      given.set(browser, [...(given.get(browser) ?? []), page])
    },
  }
}

async function newPage(browser: Browser, options: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext(options)
  context.setDefaultTimeout(LONGEST_WAIT_MS)
  return await context.newPage()
}

async function clear(page: Page): Promise<void> {
  for (const event of ['pageerror', 'console', 'request'] as const) page.removeAllListeners(event)
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.goto('about:blank')
  if (USUAL.viewport) await page.setViewportSize(USUAL.viewport)
  await page.mouse.move(0, 0)
}
