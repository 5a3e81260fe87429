import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { createEmulator, type Emulator } from '../../../src/emulator/emulator.ts'
import { describeInBrowser, openPage } from './support/browser.ts'

const SHORT = { bubbles: 250, rows: 1_000 }
const LONG = { bubbles: 2_000, rows: 5_000 }

/** Optimised code is not counted by V8. */
const COUNTABLE = ['--js-flags=--no-opt --no-maglev']

// The cost of scrolling is counted, not timed: a time says more about the machine than about the page.
describeInBrowser(
  'the page after a long day',
  (browser) => {
    it('scrolls with the work of a short day, however long the history', async () => {
      const short = await scrollAfter(SHORT)
      const long = await scrollAfter(LONG)
      expect(long.thread.changed).toBe(0)
      expect(long.thread.inSight).toBeLessThanOrEqual(2 * short.thread.inSight)
      expect(long.thread.calls).toBeLessThan(short.thread.calls + LONG.bubbles)
      expect(long.timeline.changed).toBeLessThanOrEqual(2 * short.timeline.changed)
      expect(long.timeline.inSight).toBeLessThanOrEqual(2 * short.timeline.inSight)
      expect(long.timeline.calls).toBeLessThan(short.timeline.calls + LONG.rows)
    })

    async function scrollAfter(day: typeof LONG) {
      await using emulator = await createEmulator()
      await fill(emulator, day)
      await using opened = await openPage(browser(), { emulator })
      const { page, complaints } = opened
      await expect.poll(() => page.getByRole('article').count()).toBe(day.bubbles)
      await expect.poll(async () => Number(await page.locator('.count').innerText())).toBeGreaterThanOrEqual(day.rows)
      const thread = await workOf(page, { box: '[role="log"]', parts: '.bubble > footer' })
      const timeline = await workOf(page, { box: '#timeline-rows', parts: '.row' })
      expect(complaints).toEqual([])
      return { thread, timeline }
    }
  },
  COUNTABLE,
)

/** The cost of a step of scrolling. */
interface Work {
  /** The most parts that the browser has laid out at once. */
  readonly inSight: number
  /** The most elements that a step has added, removed or changed. */
  readonly changed: number
  /** How often a step calls functions and enters branches and loops of the page's code, on average. */
  readonly calls: number
}

const STEPS = 20

/** Scrolls a box towards its top and back to its end, and counts the work. */
async function workOf(page: Page, o: { box: string; parts: string }): Promise<Work> {
  // The page's clock ticks once a second: the slower the machine, the more ticks would be counted.
  await page.evaluate('for (let id = setTimeout(String); id > 0; id--) clearTimeout(id)')
  await page.coverage.startJSCoverage({ resetOnNavigation: false })
  const { inSight, changed } = (await page.evaluate(`(async () => {
    const box = document.querySelector('${o.box}')
    const most = { inSight: 0, changed: 0 }
    const observer = new MutationObserver((all) => (most.changed = Math.max(most.changed, all.length)))
    observer.observe(box, { subtree: true, childList: true, attributes: true, characterData: true })
    const frame = () => new Promise(requestAnimationFrame)
    for (const by of [-1500, 1500])
      for (let step = 0; step < ${STEPS / 2}; step++) {
        box.scrollTop += by
        await frame()
        await frame()
        const parts = [...box.querySelectorAll('${o.parts}')]
        const inSight = parts.filter((part) => part.checkVisibility({ contentVisibilityAuto: true })).length
        most.inSight = Math.max(most.inSight, inSight)
      }
    observer.disconnect()
    return most
  })()`)) as Pick<Work, 'inSight' | 'changed'>
  const scripts = await page.coverage.stopJSCoverage()
  const ranges = scripts.flatMap(({ functions }) => functions.flatMap((one) => one.ranges))
  return { inSight, changed, calls: ranges.reduce((sum, { count }) => sum + count, 0) / STEPS }
}

/** Fills the emulator with messages and other rows. Each message has its own row, because no endpoint is registered. */
async function fill(emulator: Emulator, { bubbles, rows }: typeof LONG): Promise<void> {
  const customer = emulator.customer('255712000101')
  for (let n = 0; n < bubbles; n++)
    await customer.says(`message ${n}: ${'words that a customer may well write '.repeat((n % 5) + 1)}`)
  for (let n = bubbles; n < rows; n++) await emulator.clock.advance(1)
}
