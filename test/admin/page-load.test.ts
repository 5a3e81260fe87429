import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describeInBrowser } from '../page/support/browser.ts'
import { openAdmin } from './support/page.ts'
import { openShop } from './support/shop.ts'

const ROWS = 10_000

/** Answers for a store with so many dead deliveries. */
async function fill(page: Page, rows: number): Promise<void> {
  await page.route('**/api/deliveries?*', (route) => {
    const query = new URL(route.request().url()).searchParams
    const [from, limit] = [Number(query.get('after') ?? 0), Number(query.get('limit'))]
    const to = Math.min(rows, from + limit)
    return route.fulfill({
      json: {
        rows: Array.from({ length: to - from }, (_, at) => rowOf(from + at)),
        ...(to < rows && { next: String(to) }),
      },
    })
  })
}

function rowOf(seq: number) {
  const item = { idx: 0, kind: 'message', number: 'default', customer: '…543', state: 'dead', attempts: 1, reason: 'x' }
  return {
    seq,
    id: `id-${seq}`,
    event: 'message.received',
    ageSeconds: seq,
    states: { dead: 1 },
    repeats: 0,
    own: false,
    retryable: true,
    items: [item],
  }
}

// Work is counted, not timed: a time says more about the machine than about the page.
describeInBrowser('the admin page over many rows', (browser) => {
  it('renders the rows in sight alone, however many were read, and leads to the last of them', async () => {
    await using shop = await openShop()
    await using opened = await openAdmin(browser(), `${shop.url}/admin`)
    const { page, complaints } = opened
    await fill(page, ROWS)
    await page.goto(`${shop.url}/admin#/deliveries?state=dead`)
    await page.locator('a.row').first().waitFor()
    const most = (await page.evaluate(`(async () => {
      const box = document.querySelector('.rows')
      const most = { rows: 0, changed: 0 }
      const observer = new MutationObserver((all) => (most.changed = Math.max(most.changed, all.length)))
      observer.observe(box, { subtree: true, childList: true, attributes: true, characterData: true })
      const frame = () => new Promise(requestAnimationFrame)
      while (!box.querySelector('[data-index="${ROWS - 1}"]')) {
        box.scrollTop = box.scrollHeight
        await frame()
        most.rows = Math.max(most.rows, box.querySelectorAll('.row').length)
      }
      observer.disconnect()
      return most
    })()`)) as { rows: number; changed: number }
    expect(await page.locator('a.row').last().getAttribute('href')).toBe(`#/deliveries/${ROWS - 1}`)
    expect(most.rows).toBeLessThan(80)
    expect(most.changed).toBeLessThan(1_000)
    expect(complaints).toEqual([])
  })
})
