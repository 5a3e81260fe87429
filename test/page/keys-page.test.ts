import type { Locator } from 'playwright-core'
import { expect, it } from 'vitest'
import { ASHA, openWorld } from '../support/world.ts'
import { describeInBrowser, openPage, thread } from './support/browser.ts'

type BotOf = Parameters<Parameters<typeof openWorld>[0]>[0]

const shop = (bot: BotOf) => bot.otherwise((ctx) => ctx.reply('9 to 17'))

describeInBrowser('the keyboard', (browser) => {
  it('types letters into a field without running shortcuts', async () => {
    await using world = await openWorld(shop)
    await using opened = await openPage(browser(), world)
    const { page, complaints } = opened
    await page.keyboard.press('t')
    await page.keyboard.type(']}x?R/1t')
    await expect.poll(() => page.getByLabel('Message', { exact: true }).inputValue()).toBe(']}x?R/1t')
    await page.keyboard.press('Enter')
    await thread(page).getByText('9 to 17').waitFor()
    await expect.poll(() => world.control('GET', 'clock')).toMatchObject({ offsetMs: 0 })
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    expect(complaints).toEqual([])
  })

  it('moves the clock by ] and }, which closes the window', async () => {
    await using world = await openWorld(shop)
    await world.control('POST', `customers/${ASHA}/messages`, { text: 'hi' })
    await using opened = await openPage(browser(), world)
    const { page } = opened
    const controls = page.getByRole('region', { name: 'Controls' })
    await controls.getByText(/^Open for 2[34] h/).waitFor()
    await page.keyboard.press(']')
    await page.keyboard.press('}')
    await controls.getByText('Window closed').waitFor()
    await expect.poll(() => world.control('GET', 'clock')).toMatchObject({ offsetMs: 25 * 3_600_000 })
  })

  it('lists every shortcut at ?, and gives the focus back', async () => {
    await using world = await openWorld(shop)
    await using opened = await openPage(browser(), world)
    const { page, complaints } = opened
    const button = page.getByRole('button', { name: 'Keyboard shortcuts' })
    await button.focus()
    await page.keyboard.press('?')
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    for (const does of ['Go to the phone', 'Write as the customer', 'To the next line', 'Begin or end a recording'])
      await help.getByText(does).waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => help.count()).toBe(0)
    await expect.poll(() => button.evaluate((it) => it === it.ownerDocument.activeElement)).toBe(true)
    expect(complaints).toEqual([])
  })

  it('finds a command in the palette, even from within a field, and runs it', async () => {
    await using world = await openWorld(shop)
    await using opened = await openPage(browser(), world)
    const { page, complaints } = opened
    await page.getByLabel('Message', { exact: true }).focus()
    await page.keyboard.press('Control+k')
    const field = page.getByRole('combobox', { name: 'What to do' })
    await field.pressSequentially('send: ')
    await page.keyboard.press('ArrowDown')
    const chosen = page.getByRole('option', { selected: true })
    await expect.poll(() => chosen.innerText()).toContain('The next send: 429 too many requests')
    await expect.poll(() => field.getAttribute('aria-activedescendant')).toBe(await chosen.getAttribute('id'))
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: '1 fault armed' }).waitFor()
    await expect
      .poll(() => world.control('GET', 'faults'))
      .toMatchObject({
        rules: [{ on: 'send', do: 'status', status: 429, next: 1 }],
      })
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    expect(complaints).toEqual([])
  })

  it('arms by x and disarms by x', async () => {
    await using world = await openWorld(shop)
    await using opened = await openPage(browser(), world)
    const { page } = opened
    await page.keyboard.press('x')
    await page.keyboard.type('duplicate')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: '1 fault armed' }).waitFor()
    await page.keyboard.press('x')
    await page.keyboard.type('disarm')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: '1 fault armed' }).waitFor({ state: 'detached' })
    await expect.poll(() => world.control('GET', 'faults')).toMatchObject({ rules: [] })
  })

  it('goes from pane to pane on a narrow screen', async () => {
    await using world = await openWorld(shop)
    await using opened = await openPage(browser(), world, { viewport: { width: 390, height: 844 } })
    const { page } = opened
    const seen = async (name: string) => page.getByRole('region', { name, exact: true }).isVisible()
    await page.keyboard.press('g')
    await page.keyboard.press('c')
    await expect.poll(() => seen('Controls')).toBe(true)
    await page.keyboard.press('3')
    await expect.poll(() => seen('Timeline')).toBe(true)
    await page.keyboard.press('2')
    await expect.poll(() => seen('Phone')).toBe(true)
    await expect.poll(() => seen('Controls')).toBe(false)
  })

  it('shows the whole menu of the last message, and returns to its button', async () => {
    await using world = await openWorld(() => {})
    for (let index = 0; index < 20; index++) await world.emulator.customer(ASHA).says(`word ${index}`)
    await using opened = await openPage(browser(), world)
    const { page } = opened
    const last = page.getByRole('article').filter({ hasText: 'word 19' })
    await last.getByLabel('What to do with this message').focus()
    await page.keyboard.press('Enter')
    const choice = last.getByRole('button', { name: 'Record from here' })
    const endsAt = (it: Locator) => it.evaluate((element) => element.getBoundingClientRect().bottom)
    await expect.poll(() => endsAt(choice)).toBeLessThanOrEqual(await endsAt(thread(page)))
    await page.keyboard.press('Tab')
    await page.keyboard.press('Escape')
    await expect.poll(() => choice.isVisible()).toBe(false)
    await expect.poll(() => last.locator('summary:focus').count()).toBe(1)
    await page.keyboard.press('Enter')
    await last.getByRole('button', { name: 'Copy as command' }).press('Enter')
    await page.getByText('The command was copied.').waitFor()
    await expect.poll(() => last.locator('summary:focus').count()).toBe(1)
  })

  it('opens the media form at its first field; Escape returns to the button', async () => {
    await using world = await openWorld(shop)
    await using opened = await openPage(browser(), world)
    const { page } = opened
    const button = page.getByRole('button', { name: 'Media' })
    await button.focus()
    await page.keyboard.press('Enter')
    await page
      .getByRole('group', { name: 'Send media as the customer' })
      .getByRole('combobox')
      .and(page.locator(':focus'))
      .waitFor()
    await page.keyboard.press('Escape')
    await button.and(page.locator(':focus')).waitFor()
    await expect
      .poll(() => page.getByRole('group', { name: 'Send media as the customer' }).getByRole('combobox').count())
      .toBe(0)
  })

  it('never loses the focus in the controls: a removed element leaves it to the head of its section', async () => {
    await using world = await openWorld(shop)
    await world.emulator.faults.set([
      { on: 'send', do: 'time_out', next: 1 },
      { on: 'send', do: 'lose_answer', next: 1 },
    ])
    await using opened = await openPage(browser(), world)
    const { page } = opened
    await page.getByRole('button', { name: '2 faults armed' }).click()
    await page.getByRole('button', { name: 'Disarm all' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Disarm all' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Faults', exact: true }).and(page.locator(':focus')).waitFor()
  })
})
