import { expect, it } from 'vitest'
import { describeInBrowser } from '../page/support/browser.ts'
import { violations } from '../page/support/violations.ts'
import { reportOfEachKind } from './backtest-each-kind.ts'

const WIDTHS = [1440, 390]

describeInBrowser('the page of a backtest', (browser) => {
  for (const colorScheme of ['light', 'dark'] as const)
    it(`has no violation that axe-core knows and is never wider than the screen, in ${colorScheme}`, async () => {
      for (const width of WIDTHS)
        for (const reveal of [true, false]) {
          const page = await browser().newPage({ colorScheme, viewport: { width, height: 900 } })
          await page.setContent(reportOfEachKind({ reveal }))
          await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true')
          expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
          expect(await violations(page)).toEqual([])
          await page.close()
        }
    })

  it('shows what was said then above what is said now, and marks the words that differ', async () => {
    const page = await browser().newPage()
    await page.setContent(reportOfEachKind({ reveal: true }))
    const first = page.locator('.findings > li').first()
    expect(await first.locator('.line').allInnerTexts()).toEqual([
      expect.stringMatching(/^then\s+We are open from 9 to 17\.$/),
      expect.stringMatching(/^now\s+We are open from 8 to 17\.$/),
    ])
    expect(await first.locator('del, ins').allInnerTexts()).toEqual(['9', '8'])
    expect(await page.locator('dd').allInnerTexts()).toEqual(['1207', '1170', '34', '1', '3'])
    await page.close()
  })
})
