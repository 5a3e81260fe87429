import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { createEmulator } from '../../src/emulator/index.ts'
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

  it('removes a token from its address, even one that is pasted later', async () => {
    await using emulator = await createEmulator()
    await using opened = await openPage(browser(), { emulator }, { token: 'of-an-earlier-run' })
    const { page } = opened
    await page.evaluate(`location.hash = '#token=${emulator.controlToken}'`)
    await expect.poll(() => page.url()).not.toContain(emulator.controlToken)
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
