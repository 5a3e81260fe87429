import type { Browser, BrowserContextOptions, Page } from 'playwright-core'

export interface OpenedAdmin extends AsyncDisposable {
  readonly page: Page
  /** The errors and warnings of the browser, of which there should be none. */
  readonly complaints: string[]
  /** All addresses that were asked for. */
  readonly asked: string[]
}

/** Opens an admin page, and waits until it is live. */
export async function openAdmin(
  browser: Browser,
  address: string,
  o: BrowserContextOptions = {},
): Promise<OpenedAdmin> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce', ...o })
  context.setDefaultTimeout(60_000)
  const page = await context.newPage()
  const [complaints, asked]: [string[], string[]] = [[], []]
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('request', (request) => asked.push(request.url()))
  page.on('console', (line) => {
    if (line.type() === 'error' || line.type() === 'warning') complaints.push(line.text())
  })
  await page.goto(address)
  await page.getByRole('status').getByText('Live').waitFor({ state: 'attached' })
  return { page, complaints, asked, [Symbol.asyncDispose]: () => context.close() }
}

/** Goes to a view by its tab, and waits until that view has replaced the one before, whose texts a test may look for. */
export async function goTo(page: Page, tab: string): Promise<void> {
  const link = page.getByRole('navigation').getByRole('link', { name: tab })
  await link.click()
  await link.and(page.locator('[aria-current=page]')).waitFor()
}

/** Presses a button, and the one of the question that follows. */
export async function doIt(page: Page, button: string | RegExp, answer: string | RegExp): Promise<void> {
  await page.getByRole('button', { name: button }).click()
  await page.getByRole('dialog').getByRole('button', { name: answer }).click()
}
