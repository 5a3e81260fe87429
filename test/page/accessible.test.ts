import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { buttons, list } from '../../src/index.ts'
import { send } from '../emulator/support/api.ts'
import { ASHA, openWorld } from '../support/world.ts'
import { describeInBrowser, openPage, write } from './support/browser.ts'
import { violations } from './support/violations.ts'

/** Finds elements wider than their box, unless the box cuts them with an ellipsis. */
const CUT_OFF = `[...document.querySelectorAll('.bubble, .bubble *, .sheet, .sheet *, .search-head, .search-head *, .empty')]
  .filter((it) => it.clientWidth > 0 && it.scrollWidth > it.clientWidth + 1)
  .filter((it) => getComputedStyle(it).textOverflow !== 'ellipsis' && !it.closest('input, .visually-hidden'))
  .map((it) => it.className + ' ' + it.tagName)`

function styleOf(page: Page, what: string, property: string): Promise<unknown> {
  return page.evaluate(`getComputedStyle(document.querySelector(${JSON.stringify(what)})).${property}`)
}

describeInBrowser('the page for everybody', (browser) => {
  it('has no violation that axe-core knows, in both themes: empty, in a conversation, in each section, with a dialog', async () => {
    await using world = await openWorld((bot) => {
      bot.otherwise((ctx) => ctx.reply(buttons('How can we help?', [{ id: 'track', title: 'Track order' }])))
    })
    await world.emulator.templates.add({ name: 'order_ready', language: 'en', body: 'Order {{1}} is ready' })
    await using opened = await openPage(browser(), world, { colorScheme: 'light' })
    const { page } = opened
    expect(await violations(page)).toEqual([])
    await write(page, 'hi')
    await page.getByRole('button', { name: 'Track order' }).waitFor()
    await send(world.emulator, { to: ASHA, text: '' })
    await world.emulator.agent.set({ on: true, answersFirst: true })
    await world.emulator.faults.set([{ on: 'send', do: 'status', status: 429, next: 1 }])
    await page.getByText('validation_error').first().waitFor()
    for (const part of ['Endpoint', 'Faults', 'AI agent', 'Account', 'Templates', 'Assumptions', 'Recorder']) {
      await page.getByRole('button', { name: part, exact: true }).first().click()
      await page.evaluate(`for (const it of document.querySelectorAll('details.more')) it.open = true`)
      expect(await violations(page), part).toEqual([])
    }
    await page.getByRole('row').filter({ hasText: 'hi' }).first().click()
    await page.getByRole('row').filter({ hasText: 'message.received' }).click()
    await page.getByRole('tab', { name: 'Signature' }).click()
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await violations(page)).toEqual([])
    await page.getByLabel('Message', { exact: true }).blur()
    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
    expect(await violations(page)).toEqual([])
  })

  it("shows the selection in a reader's own colours, and right-to-left text from the right", async () => {
    await using world = await openWorld((bot) => {
      bot.otherwise((ctx) => ctx.reply(buttons('كيف نساعدك؟ (7781).', [{ id: 'yes', title: 'نعم، أريد' }])))
    })
    await using opened = await openPage(browser(), world, { forcedColors: 'active' })
    const { page } = opened
    await write(page, 'مرحبا (1).')
    await page.getByRole('button', { name: 'نعم، أريد' }).waitFor()
    await expect.poll(() => styleOf(page, '.conversation[aria-current]', 'outlineStyle')).toBe('solid')
    for (const what of ['.from-customer .text', '.from-app .text', '.offer bdi', '.conversation .last'])
      expect(await styleOf(page, what, 'direction'), what).toBe('rtl')
  })

  it('cuts nothing off at 1440, 1024 and 390 pixels, however long the words', async () => {
    const [title, description] = ['W'.repeat(20), 'W'.repeat(72)]
    await using world = await openWorld((bot) => {
      bot.otherwise((ctx) =>
        ctx.reply(list('Which?', { [title]: [{ id: 'a', title, description }] }, { button: title })),
      )
    })
    await world.emulator.templates.add({ name: 'n'.repeat(200), language: 'en', body: 'x' })
    await using opened = await openPage(browser(), world)
    const { page } = opened
    await write(page, 'hi '.repeat(200))
    await page.getByRole('button', { name: title }).waitFor()
    const file = { media_url: 'https://media.example.com/a.pdf', media_filename: `${'f'.repeat(200)}.pdf` }
    await send(world.emulator, { to: ASHA, type: 'document', ...file })
    await page.getByText('ffff').first().waitFor()
    await page.getByRole('button', { name: 'Templates', exact: true }).click()
    for (const width of [1440, 1024, 390]) {
      await page.setViewportSize({ width, height: 844 })
      expect(await page.evaluate('document.documentElement.scrollWidth'), `${width}`).toBeLessThanOrEqual(width)
      expect(await page.evaluate(CUT_OFF), `${width}`).toEqual([])
    }
  })
})
