import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buttons } from '../../src/index.ts'
import { openWorld } from '../support/world.ts'
import { describeInBrowser, openBrowser, openPage, write } from './support/browser.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Violation {
  readonly id: string
  readonly nodes: readonly { readonly target: readonly string[] }[]
}

/** What axe-core finds wrong: the rule and where. */
async function violations(page: Page): Promise<string[]> {
  // Through the debugger's own door, since the page itself lets no foreign script in.
  await page.evaluate(AXE)
  const { violations: found } = (await page.evaluate('axe.run()')) as { violations: Violation[] }
  return found.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`))
}

describeInBrowser('the page for everybody', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser.close())

  for (const colorScheme of ['light', 'dark'] as const)
    it(`has no violation that axe-core knows, in ${colorScheme}: empty, in a conversation, with a fault, a dialog`, async () => {
      await using world = await openWorld((bot) => {
        bot.otherwise((ctx) => ctx.reply(buttons('How can we help?', [{ id: 'track', title: 'Track order' }])))
      })
      await using opened = await openPage(browser, world, { colorScheme })
      const { page } = opened
      expect(await violations(page)).toEqual([])
      await write(page, 'hi')
      await page.getByRole('button', { name: 'Track order' }).waitFor()
      await fetch(`${world.emulator.url}/api/v2/messages`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${world.emulator.accessToken}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ to: '255712000101', text: '' }),
      })
      await world.emulator.agent.set({ on: true, answersFirst: true })
      await world.emulator.faults.set([{ on: 'send', do: 'status', status: 429, next: 1 }])
      await page.getByText('validation_error').first().waitFor()
      expect(await violations(page)).toEqual([])
      for (const part of [
        'Time',
        'Endpoint',
        'Faults',
        'AI agent',
        'Account',
        'Templates',
        'Assumptions',
        'Recorder',
      ]) {
        await page.getByRole('button', { name: part, exact: true }).first().click()
        expect(await violations(page), part).toEqual([])
      }
      await page.getByLabel('Message', { exact: true }).blur()
      await page.keyboard.press('?')
      await page.getByRole('dialog').waitFor()
      expect(await violations(page)).toEqual([])
    }, 60_000)

  it('cuts nothing off and overlaps nothing at 1440, 1024 and 390 pixels', async () => {
    await using world = await openWorld((bot) => {
      bot.otherwise((ctx) => ctx.reply('a'.repeat(300)))
    })
    await using opened = await openPage(browser, world)
    const { page } = opened
    await write(page, 'hi '.repeat(200))
    await page.getByText('aaaa').first().waitFor()
    for (const width of [1440, 1024, 390]) {
      await page.setViewportSize({ width, height: 844 })
      expect(await page.evaluate('document.documentElement.scrollWidth'), `${width}`).toBeLessThanOrEqual(width)
    }
  })
})
