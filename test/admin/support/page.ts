import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { openTab, type Tab } from '../../pages/emulator/support/tab.ts'

export interface OpenedAdmin extends Tab {
  /** All addresses that were asked for. */
  readonly asked: string[]
}

/** Opens an admin page, and waits until it is live. */
export async function openAdmin(
  browser: Browser,
  address: string,
  o: BrowserContextOptions = {},
): Promise<OpenedAdmin> {
  const tab = await openTab(browser, o)
  const { page } = tab
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await page.goto(address)
  await page.getByRole('status').getByText('Live').waitFor({ state: 'attached' })
  return { ...tab, asked }
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
