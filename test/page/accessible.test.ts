import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { buttons, list } from '../../src/index.ts'
import { send } from '../emulator/support/api.ts'
import { openWorld } from '../support/world.ts'
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
  for (const colorScheme of ['light', 'dark'] as const)
    it(`has no violation that axe-core knows, in ${colorScheme}: empty, in a conversation, with a fault, a dialog`, async () => {
      await using world = await openWorld((bot) => {
        bot.otherwise((ctx) => ctx.reply(buttons('How can we help?', [{ id: 'track', title: 'Track order' }])))
      })
      await using opened = await openPage(browser(), world, { colorScheme })
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
    })

  it("shows the selection in a reader's own colours too", async () => {
    await using world = await openWorld(() => {})
    await world.emulator.customer('255712000101').says('hi')
    await using opened = await openPage(browser(), world, { forcedColors: 'active' })
    const { page } = opened
    const lines = (what: string) => styleOf(page, what, 'outlineStyle')
    await expect.poll(() => lines('.conversation[aria-current]')).toBe('solid')
    const ground = (what: string) => styleOf(page, what, 'backgroundColor')
    expect(await ground('.connection .dot')).not.toBe(await ground('.connection'))
  })

  it('shows right-to-left text from the right', async () => {
    const title = 'نعم، أريد'
    await using world = await openWorld((bot) => {
      bot.otherwise((ctx) => ctx.reply(buttons('كيف نساعدك؟ (7781).', [{ id: 'yes', title }])))
    })
    await using opened = await openPage(browser(), world)
    const { page } = opened
    await write(page, 'مرحبا (1).')
    await page.getByRole('button', { name: title }).waitFor()
    for (const what of ['.from-customer .text', '.from-app .text', '.offer bdi', '.conversation .last'])
      expect(await styleOf(page, what, 'direction'), what).toBe('rtl')
  })

  it('cuts off no long word of an app or of a search', async () => {
    const [title, description] = ['W'.repeat(20), 'W'.repeat(72)]
    await using world = await openWorld((bot) => {
      bot.otherwise((ctx) =>
        ctx.reply(list('Which?', { [title]: [{ id: 'a', title, description }] }, { button: title })),
      )
    })
    const { emulator } = world
    await emulator.templates.add({ name: 'n'.repeat(200), language: 'en', body: 'x' })
    await using opened = await openPage(browser(), world)
    const { page } = opened
    await write(page, 'hi')
    await page.getByRole('button', { name: title }).waitFor()
    const file = { media_url: 'https://media.example.com/a.pdf', media_filename: `${'f'.repeat(200)}.pdf` }
    await send(emulator, { to: '255712000101', type: 'document', ...file })
    await send(emulator, {
      to: '255712000101',
      type: 'template',
      template_name: 'n'.repeat(200),
      template_language: 'en',
      template_components: [],
    })
    await page.getByText('nnnn').first().waitFor()
    await page.getByRole('searchbox').fill('w'.repeat(200))
    await page.getByText('No rows match').waitFor()
    for (const width of [1440, 1024]) {
      await page.setViewportSize({ width, height: 844 })
      expect(await page.evaluate(CUT_OFF), `${width}`).toEqual([])
    }
    await page.getByRole('button', { name: title }).click()
    expect(await page.evaluate(CUT_OFF)).toEqual([])
  })

  it('grows the field with a long message, up to a limit', async () => {
    await using world = await openWorld(() => {})
    await using opened = await openPage(browser(), world)
    const field = opened.page.getByLabel('Message', { exact: true })
    const heights = () => field.evaluate((it) => [it.scrollHeight, it.clientHeight] as const)
    const [one] = await heights()
    await field.fill('word '.repeat(30))
    const [all, shown] = await heights()
    expect(shown).toBeGreaterThan(one)
    expect(shown).toBe(all)
    await field.fill('word '.repeat(800))
    expect((await heights())[1]).toBeLessThan(8 * one)
  })

  it('cuts nothing off and overlaps nothing at 1440, 1024 and 390 pixels', async () => {
    await using world = await openWorld((bot) => {
      bot.otherwise((ctx) => ctx.reply('a'.repeat(300)))
    })
    await using opened = await openPage(browser(), world)
    const { page } = opened
    await write(page, 'hi '.repeat(200))
    await page.getByText('aaaa').first().waitFor()
    for (const width of [1440, 1024, 390]) {
      await page.setViewportSize({ width, height: 844 })
      expect(await page.evaluate('document.documentElement.scrollWidth'), `${width}`).toBeLessThanOrEqual(width)
    }
  })
})
