import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { createEmulator, type Emulator } from '../../src/emulator/index.ts'
import { control } from '../emulator/support/api.ts'
import { describeInBrowser, openPage, thread, write } from './support/browser.ts'

const ASHA = '255712000101'

/** Stops animation frames, as a browser does with a tab in the background. */
const HIDE = `
  window.kept = { request: window.requestAnimationFrame, frames: [] }
  window.requestAnimationFrame = (draw) => window.kept.frames.push(draw)`
const isHidden = (hidden: boolean) => `
  Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${hidden} })
  document.dispatchEvent(new Event('visibilitychange'))`
const SHOW = `
  window.requestAnimationFrame = window.kept.request
  for (const draw of window.kept.frames) draw(performance.now())`

const rowIds = (page: Page) => page.locator('[data-row]').evaluateAll((rows) => rows.map(({ id }) => id))

/** Keeps each happening that the page reads from the stream, before it is rendered. */
const LISTEN = `
  window.happenings = []
  const { parse } = JSON
  JSON.parse = (text) => {
    window.happenings.push(text)
    return parse(text)
  }`

/** How often the stream has reported a customer's text. */
const received = (page: Page, text: string) =>
  page.evaluate<number>(`window.happenings.filter((one) => one.includes('"text":"${text}"')).length`)

const streams = (page: Page): string[] => {
  const requests: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/stream')) requests.push(request.url())
  })
  return requests
}

describeInBrowser('the page in a tab', (browser) => {
  it('shows nothing twice that it had received, but not rendered, when it was hidden', async () => {
    await using emulator = await createEmulator()
    await using opened = await openPage(browser(), { emulator })
    const { page } = opened
    await page.evaluate(LISTEN)
    await page.evaluate(HIDE)
    await emulator.customer(ASHA).says('one')
    await emulator.customer(ASHA).says('two')
    await expect.poll(() => received(page, 'two')).toBeGreaterThan(0)
    await page.evaluate(isHidden(true))
    await emulator.customer(ASHA).says('three')
    await page.evaluate(isHidden(false))
    await expect.poll(() => received(page, 'three')).toBeGreaterThan(0)
    await page.evaluate(SHOW)
    await thread(page).getByText('three').waitFor()
    const ids = await rowIds(page)
    expect(ids).toEqual([...new Set(ids)])
    await expect.poll(() => thread(page).getByRole('article').count()).toBe(3)
  })

  it('holds no connection before it is first visible', async () => {
    await using emulator = await createEmulator()
    await using context = await browser().newContext()
    await context.addInitScript(`Object.defineProperty(document, 'hidden', { configurable: true, get: () => true })`)
    const page = await context.newPage()
    const requests = streams(page)
    await page.goto(`${emulator.url}/#token=${emulator.controlToken}`)
    await page.getByText('Nothing was said yet').waitFor()
    expect(requests).toEqual([])
    await page.evaluate(isHidden(false))
    await page.getByText('Live', { exact: true }).waitFor()
    expect(requests).toHaveLength(1)
  })

  it('arms every fault, however fast the clicks, and whatever another tab arms meanwhile', async () => {
    await using emulator = await createEmulator()
    await using first = await openPage(browser(), { emulator })
    const { page } = first
    const other = await page.context().newPage()
    await other.goto(`${emulator.url}/#token=${emulator.controlToken}`)
    for (const tab of [page, other]) {
      await tab.getByRole('button', { name: 'Faults', exact: true }).first().click()
      await tab.locator('.presets button').nth(2).waitFor()
    }
    const click = `document.querySelectorAll('.presets button').forEach((button, index) => index < 3 && button.click())`
    await Promise.all([page.evaluate(click), other.evaluate(click)])
    await expect.poll(() => armed(emulator)).toBe(6)
    await page.getByRole('button', { name: '6 faults armed' }).waitFor()
  })

  it('shows the pane that an address names, and the phone if it names none', async () => {
    await using emulator = await createEmulator()
    await using opened = await openPage(browser(), { emulator }, { viewport: { width: 390, height: 844 } })
    const { page } = opened
    await page.evaluate(`location.hash = '#customer=${ASHA}&pane=timeline'`)
    await page.getByRole('searchbox').waitFor()
    await page.evaluate(`location.hash = '#customer=${ASHA}'`)
    await page.getByLabel('Message', { exact: true }).waitFor()
    await page.goBack()
    await page.getByRole('searchbox').waitFor()
  })

  it('removes a token from its address, even one that is pasted later', async () => {
    await using emulator = await createEmulator()
    await using opened = await openPage(browser(), { emulator }, { token: 'of-an-earlier-run' })
    const { page } = opened
    await page.evaluate(`location.hash = '#token=${emulator.controlToken}'`)
    await expect.poll(() => page.url()).not.toContain(emulator.controlToken)
    await write(page, 'hello')
    await thread(page).getByText('hello').waitFor()
  })

  it('keeps its control token in a browser without storage, whatever view is opened', async () => {
    await using emulator = await createEmulator()
    await using context = await browser().newContext()
    await context.addInitScript(
      `Object.defineProperty(window, 'sessionStorage', { get() { throw new DOMException('none', 'SecurityError') } })`,
    )
    const page = await context.newPage()
    await page.goto(`${emulator.url}/#token=${emulator.controlToken}`)
    await page.getByText('Live', { exact: true }).waitFor()
    await page.evaluate(`location.hash = '#customer=255712000102'`)
    await page.getByRole('heading', { name: '255712000102' }).waitFor()
    await write(page, 'hello')
    await thread(page).getByText('hello').waitFor()
  })

  it('cannot be framed', async () => {
    await using emulator = await createEmulator()
    await using context = await browser().newContext()
    const page = await context.newPage()
    await page.setContent(`<iframe src="${emulator.url}/"></iframe>`)
    await expect.poll(() => page.frames().map((frame) => frame.url())).toContain('chrome-error://chromewebdata/')
  })
})

async function armed(emulator: Emulator): Promise<number> {
  return (await control(emulator, 'GET', 'faults')).json.rules.length
}
