import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { ASHA, openWorld } from '../support/world.ts'
import { clipboard, describeInBrowser, openPage } from './support/browser.ts'

type BotOf = Parameters<Parameters<typeof openWorld>[0]>[0]

const shop = (bot: BotOf) => bot.otherwise((ctx) => ctx.reply(`You said ${ctx.message.text}`))

const rows = (page: Page) => page.getByRole('treegrid', { name: 'What happened' }).getByRole('row')
const details = (page: Page) => page.getByRole('region', { name: 'Details' })

describeInBrowser('the timeline', (browser) => {
  it('unfolds a turn by keyboard, opens a row, marks its bubble, and goes back', async () => {
    await using world = await openWorld(shop)
    await world.emulator.customer(ASHA).says('hours')
    await using opened = await openPage(browser(), world, { view: '&customer=255712000199' })
    const { page, complaints } = opened
    const turn = rows(page).filter({ hasText: 'hours↩ answered: You said hours' })
    await turn.getByText('delivered').waitFor()
    await page.keyboard.press('3')
    await page.keyboard.press('End')
    await page.keyboard.press('ArrowRight')
    const inTurn = page.locator('[role="row"][aria-level="2"]')
    await expect
      .poll(() => inTurn.locator('b').allInnerTexts())
      .toEqual([
        'Window opened',
        'message.received',
        'POST /messages',
        'message.sent',
        'message.status',
        'message.status',
      ])
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await details(page).getByRole('heading', { name: 'message.received' }).waitFor()
    await page.getByRole('heading', { name: ASHA }).waitFor()
    await page.locator('article.selected', { hasText: 'hours' }).waitFor()
    await expect.poll(() => page.url()).toContain('row=')
    await page.keyboard.press('Escape')
    await expect.poll(() => details(page).count()).toBe(0)
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowLeft')
    await expect.poll(() => inTurn.count()).toBe(0)
    expect(complaints).toEqual([])
  })

  it('searches by words and chips, shows row by row, and keeps that in its address', async () => {
    await using world = await openWorld(shop)
    await world.emulator.customer(ASHA).says('hours')
    await world.emulator.customer('255712000102').says('hello')
    await using opened = await openPage(browser(), world)
    const { page } = opened
    const chip = (name: string) => page.getByRole('group', { name: 'Filters' }).getByRole('button', { name })
    await chip('This customer').click()
    await expect.poll(() => rows(page).filter({ hasText: 'hello' }).count()).toBe(0)
    await chip('Calls').click()
    await chip('Messages').click()
    await expect.poll(() => chip('Calls').getAttribute('aria-pressed')).toBe('false')
    await rows(page).filter({ hasText: 'message.received “hours”' }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('nobody-said-this')
    await page.getByText('No rows match').waitFor()
    await expect.poll(() => page.url()).toContain('q=nobody-said-this&only=customer+messages')
    await page.getByRole('button', { name: 'Clear the search' }).click()
    await page.keyboard.press('v')
    await rows(page).filter({ hasText: 'POST /messages “You said hours”' }).waitFor()
    await expect.poll(() => page.url()).toContain('rows=all')
  })

  it('opens the row of the delivery that its address names, or says that it is not kept', async () => {
    await using world = await openWorld(shop)
    const { deliveryIds } = await world.emulator.customer('255712000103').says('hours')
    await using opened = await openPage(browser(), world, { view: `&delivery=${deliveryIds[0]}` })
    const { page } = opened
    await details(page).getByRole('heading', { name: 'message.received' }).waitFor()
    await page.getByRole('heading', { name: '255712000103' }).waitFor()
    await expect.poll(() => page.locator('.row.open').getAttribute('aria-level')).toBe('2')
    await expect.poll(() => page.url()).not.toContain('delivery=')
    await page.evaluate(`location.hash += '&delivery=01J0000000000000000000000A'`)
    await page.getByRole('alert').getByText('01J0000000000000000000000A is not kept').waitFor()
  })

  it('explains a wrong signature, replays the delivery, and copies it as curl', async () => {
    await using world = await openWorld(shop)
    await world.control('PUT', 'assumptions', { retryAfterMs: [60_000] })
    await world.control('PUT', 'faults', { rules: [{ on: 'delivery', do: 'wrong_secret', next: 1 }] })
    await world.emulator.customer(ASHA).says('hours')
    await using opened = await openPage(browser(), world)
    const { page } = opened
    await rows(page).filter({ hasText: '401' }).click()
    await rows(page).filter({ hasText: 'message.received' }).click()
    await details(page).getByRole('tab', { name: 'Request' }).focus()
    await page.keyboard.press('ArrowLeft')
    await details(page).getByText('You armed the fault “wrong secret”').waitFor()
    await details(page).getByText('✕ different').waitFor()
    await page.keyboard.press('r')
    await page.getByText('Replayed, signed now: the app answered 200.').waitFor()
    await rows(page).filter({ hasText: 'attempt 2' }).click()
    await details(page).getByText('✓ the same').waitFor()
    await details(page).getByRole('button', { name: 'Copy as curl' }).click()
    await page.getByText('The delivery as a curl command was copied.').waitFor()
    expect(await clipboard(page)).toMatch(/^curl -i -X POST 'http:.*X-Service-Signature: sha256=/s)
    await page.evaluate(`navigator.clipboard.writeText = () => Promise.reject(new DOMException('no'))`)
    await details(page).getByRole('button', { name: 'Copy as fixture' }).click()
    const dialog = page.getByRole('dialog', { name: 'Copy by hand' })
    await expect.poll(() => dialog.getByRole('textbox').inputValue()).toContain('"event": "message.received"')
  })

  it('explains what is wrong with an edited delivery, sends it, and opens the new one', async () => {
    await using world = await openWorld(shop)
    await world.control('POST', 'events', { event: 'order.paid', payload: { total: 1 } })
    await using opened = await openPage(browser(), world)
    const { page } = opened
    await rows(page).filter({ hasText: 'order.paid' }).click()
    await details(page).locator('summary', { hasText: 'Edit and send' }).click()
    const payload = details(page).getByLabel('Payload')
    const send = details(page).getByRole('button', { name: 'Edit and send' })
    await payload.fill('{"total":')
    await send.click()
    await page.getByRole('alert').getByText('This is no JSON').waitFor()
    await payload.fill('{"total":4200}')
    await send.click()
    await details(page).getByText('4200').first().waitFor()
  })

  it('follows its newest row, unless the reader has scrolled back', async () => {
    await using world = await openWorld(shop)
    await using opened = await openPage(browser(), world)
    const { page } = opened
    const grid = page.getByRole('treegrid', { name: 'What happened' })
    const isAtEnd = () => grid.evaluate((it) => it.scrollHeight - it.scrollTop - it.clientHeight < 2)
    for (let n = 0; n < 60; n++) await world.emulator.clock.advance('1m')
    await rows(page).nth(60).waitFor()
    await expect.poll(isAtEnd).toBe(true)
    await grid.focus()
    await page.keyboard.press('Home')
    await expect.poll(() => grid.evaluate((it) => it.scrollTop)).toBeLessThan(60)
    await world.emulator.clock.advance('2h')
    await rows(page).filter({ hasText: '+2 h' }).waitFor()
    expect(await isAtEnd()).toBe(false)
    await page.getByRole('button', { name: 'Newest' }).click()
    await expect.poll(isAtEnd).toBe(true)
  })
})
