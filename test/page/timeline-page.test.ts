import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { createEmulator } from '../../src/emulator/index.ts'
import { send } from '../emulator/support/api.ts'
import { ASHA, openWorld } from '../support/world.ts'
import { clipboard, describeInBrowser, openPage } from './support/browser.ts'

type BotOf = Parameters<Parameters<typeof openWorld>[0]>[0]

const shop = (bot: BotOf) => bot.otherwise((ctx) => ctx.reply(`You said ${ctx.message.text}`))

const rows = (page: Page) => page.getByRole('treegrid', { name: 'What happened' }).getByRole('row')
const details = (page: Page) => page.getByRole('region', { name: 'Details' })
const search = (page: Page) => page.getByRole('searchbox', { name: 'Search the timeline' })

/** A view in which no turn is folded. */
const ROW_BY_ROW = { view: '&rows=all' }

function isInSight(element: Locator): Promise<boolean> {
  return element.evaluate((it) => {
    const [inner, outer] = [it, it.closest('.scroll')].map((one) => one?.getBoundingClientRect())
    // A place is rounded to pixels at times.
    return inner !== undefined && outer !== undefined && inner.top >= outer.top - 1 && inner.bottom <= outer.bottom + 1
  })
}

describeInBrowser('the timeline', (browser) => {
  it('lists a conversation in rows, opens one by keyboard, and marks its bubble on the phone', async () => {
    await using world = await openWorld(shop)
    await world.control('POST', `customers/${ASHA}/messages`, { text: 'hours' })
    await using opened = await openPage(browser(), world, { view: '&customer=255712000199' })
    const { page, complaints } = opened
    await rows(page).filter({ hasText: 'hours↩ answered: You said hours' }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('kind:message.received')
    await page.keyboard.press('Tab')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await details(page).getByRole('tab', { name: 'Request' }).waitFor()
    await page.getByRole('heading', { name: ASHA }).waitFor()
    await page.locator('article.selected', { hasText: 'hours' }).waitFor()
    await expect.poll(() => page.url()).toContain('row=')
    await expect.poll(() => page.url()).toContain('q=kind%3Amessage.received')
    await page.keyboard.press('Escape')
    await expect.poll(() => details(page).count()).toBe(0)
    expect(complaints).toEqual([])
  })

  it('unfolds a turn by keyboard, goes through its rows, and folds it again', async () => {
    await using world = await openWorld(shop)
    await world.control('POST', `customers/${ASHA}/messages`, { text: 'hours' })
    await using opened = await openPage(browser(), world)
    const { page, complaints } = opened
    const turn = rows(page).filter({ hasText: 'hours' }).first()
    await turn.getByText('delivered').waitFor()
    await page.keyboard.press('3')
    await page.keyboard.press('End')
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => turn.getAttribute('aria-expanded')).toBe('true')
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
    await page.keyboard.press('Escape')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowLeft')
    await expect.poll(() => inTurn.count()).toBe(0)
    await expect.poll(() => turn.evaluate((it) => it.classList.contains('at'))).toBe(true)
    expect(complaints).toEqual([])
  })

  it('keeps an unfolded turn where it was, and shows its rows below', async () => {
    await using world = await openWorld(() => {})
    for (let n = 0; n < 40; n++) await world.emulator.customer(ASHA).says(`word ${n}`)
    await using opened = await openPage(browser(), world)
    const { page } = opened
    const heightOf = (row: Locator) => row.evaluate((it) => Math.round(it.getBoundingClientRect().top))
    const turn = rows(page).filter({ hasText: 'word 5' })
    await rows(page).filter({ hasText: 'word 39' }).getByText('no reply').waitFor()
    await page.keyboard.press('3')
    await page.keyboard.press('Home')
    await turn.waitFor()
    const before = await heightOf(turn)
    await turn.click()
    await rows(page).filter({ hasText: 'message.received' }).waitFor()
    await expect.poll(() => heightOf(turn)).toBe(before)
    await page.keyboard.press('End')
    await page.keyboard.press('Enter')
    const last = page.locator('[role="row"][aria-level="2"]').last()
    await expect.poll(async () => (await last.getAttribute('class'))?.includes('in-turn') && isInSight(last)).toBe(true)
  })

  it('filters by chips, each a term of the search, and shows row by row', async () => {
    await using world = await openWorld(shop)
    await world.emulator.customer(ASHA).says('hours')
    await world.emulator.customer('255712000102').says('hello')
    await using opened = await openPage(browser(), world)
    const { page } = opened
    const chip = (name: string) => page.getByRole('group', { name: 'Filters' }).getByRole('button', { name })
    await chip('This customer').click()
    await expect.poll(() => rows(page).filter({ hasText: 'hello' }).count()).toBe(0)
    await expect.poll(() => search(page).inputValue()).toBe(`to:${ASHA}`)
    await chip('Calls').click()
    await chip('Messages').click()
    await expect.poll(() => search(page).inputValue()).toBe(`to:${ASHA} kind:message.received`)
    await expect.poll(() => chip('Messages').getAttribute('aria-pressed')).toBe('true')
    await rows(page).filter({ hasText: 'message.received “hours”' }).waitFor()
    await chip('Messages').click()
    await page.keyboard.press('v')
    await rows(page).filter({ hasText: 'POST /messages “You said hours”' }).waitFor()
    await expect.poll(() => page.url()).toContain('rows=all')
  })

  it('opens the row of the delivery that its address names, within its turn', async () => {
    await using world = await openWorld(shop)
    const { deliveryIds } = await world.emulator.customer('255712000103').says('hours')
    await world.emulator.customer(ASHA).says('hello')
    await using opened = await openPage(browser(), world, { view: `&delivery=${deliveryIds[0]}` })
    const { page, complaints } = opened
    await details(page)
      .getByText(deliveryIds[0] ?? '')
      .first()
      .waitFor()
    await page.getByRole('heading', { name: '255712000103' }).waitFor()
    await expect.poll(() => page.locator('.row.open').getAttribute('aria-level')).toBe('2')
    await expect.poll(() => page.url()).not.toContain('delivery=')
    expect(complaints).toEqual([])
  })

  it('says that the delivery of its address is not kept', async () => {
    await using emulator = await createEmulator()
    await using opened = await openPage(browser(), { emulator }, { view: '&delivery=01J0000000000000000000000A' })
    await opened.page.getByRole('alert').getByText('01J0000000000000000000000A is not kept').waitFor()
  })

  it('explains turns at the first run, until that is dismissed', async () => {
    await using world = await openWorld(shop)
    await using opened = await openPage(browser(), world)
    const { page } = opened
    const hint = page.getByText('Each line is a turn')
    await page.getByText('Nothing was said yet').waitFor()
    expect(await hint.count()).toBe(0)
    await world.emulator.customer(ASHA).says('hours')
    await hint.waitFor()
    await page.getByRole('button', { name: 'Dismiss this hint' }).click()
    await hint.waitFor({ state: 'detached' })
    await page.reload()
    await rows(page).filter({ hasText: 'hours' }).waitFor()
    expect(await hint.count()).toBe(0)
  })

  it('shows what is wrong with a signature and why it was refused, and delivers it by a replay', async () => {
    await using world = await openWorld(shop)
    await world.control('PUT', 'assumptions', { retryAfterMs: [60_000] })
    await world.control('PUT', 'faults', { rules: [{ on: 'delivery', do: 'wrong_secret', next: 1 }] })
    await world.control('POST', `customers/${ASHA}/messages`, { text: 'hours' })
    await using opened = await openPage(browser(), world)
    const { page } = opened
    await rows(page).filter({ hasText: '401' }).click()
    await rows(page).filter({ hasText: 'message.received' }).click()
    await details(page).getByRole('tab', { name: 'Request' }).focus()
    await page.keyboard.press('ArrowLeft')
    await details(page).getByText('You armed the fault “wrong secret”').waitFor()
    await details(page)
      .getByText(/✕ differs from character \d+ on/)
      .waitFor()
    await page.keyboard.press('r')
    await page.getByText('Replayed, signed now: the app answered 200.').waitFor()
    await rows(page).filter({ hasText: 'attempt 2' }).click()
    await details(page).getByText('✓ the same').waitFor()
  })

  it('shows the bubble of a row, even on a phone that was not open before', async () => {
    await using world = await openWorld(() => {})
    const juma = world.emulator.customer('255712000102')
    for (let index = 0; index < 30; index++) await juma.says(`word ${index}`)
    await using opened = await openPage(browser(), world, ROW_BY_ROW)
    const { page } = opened
    await search(page).fill('"word 3"')
    await rows(page).filter({ hasText: 'message.received' }).click()
    const bubble = page.locator('article.selected', { hasText: 'word 3' })
    await bubble.waitFor()
    await expect.poll(() => isInSight(bubble)).toBe(true)
  })

  it('does not show a new call in place of one from before a reset with the same id', async () => {
    await using emulator = await createEmulator({ seed: 7 })
    const again = async () => {
      await emulator.customer(ASHA).says('hello')
      return (await send(emulator, { to: ASHA, type: 'text', text: 'there you are' })).json
    }
    const before = await again()
    await using opened = await openPage(browser(), { emulator }, ROW_BY_ROW)
    const { page } = opened
    await emulator.reset()
    await emulator.clock.advance('1h')
    expect((await again()).id).toBe(before.id)
    await expect.poll(() => rows(page).filter({ hasText: 'POST /messages' }).count()).toBe(2)
    await rows(page).filter({ hasText: 'POST /messages' }).last().click()
    await details(page).getByRole('tab', { name: 'Request' }).waitFor()
    await rows(page).filter({ hasText: 'POST /messages' }).first().click()
    await details(page).getByText('everything began anew since').waitFor()
  })

  it('shows a text that the browser does not let onto the clipboard, selected to be copied by hand', async () => {
    await using emulator = await createEmulator()
    await emulator.customer(ASHA).says('hours')
    await using opened = await openPage(browser(), { emulator }, { permissions: [] })
    const { page } = opened
    await page.evaluate(
      `navigator.clipboard.writeText = () => Promise.reject(new DOMException('no', 'NotAllowedError'))`,
    )
    await page.getByLabel('What to do with this message').click()
    await page.getByRole('button', { name: 'Copy as command' }).click()
    const dialog = page.getByRole('dialog', { name: 'Copy by hand' })
    await expect.poll(() => dialog.getByLabel('The command').inputValue()).toContain("--text 'hours'")
    await expect.poll(() => page.evaluate('getSelection().toString()')).toContain("--text 'hours'")
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  })

  it('explains what is wrong with an edited delivery, sends it, and opens the new one', async () => {
    await using world = await openWorld(shop)
    await world.control('POST', 'events', { event: 'order.paid', payload: { total: 1 } })
    await using opened = await openPage(browser(), world)
    const { page } = opened
    await rows(page).filter({ hasText: 'order.paid' }).click()
    await details(page).getByRole('tab', { name: 'Request' }).waitFor()
    await page.keyboard.press('e')
    const payload = details(page).getByLabel('Payload, as JSON')
    await payload.fill('{"total":')
    await page.keyboard.press('Control+Enter')
    await details(page).getByRole('alert').getByText('This is no JSON').waitFor()
    await payload.fill('{"total":4200}')
    await page.keyboard.press('Control+Enter')
    await details(page).getByText('4200').waitFor()
    const payloads = async () => {
      const { items } = (await world.control('GET', 'events')) as { items: { payload: string }[] }
      return items.map((one) => one.payload)
    }
    await expect.poll(payloads).toEqual(['{"total":1}', '{"total":4200}'])
    await page.keyboard.press('Escape')
    await search(page).fill('4200')
    await expect.poll(() => rows(page).filter({ hasText: 'order.paid' }).count()).toBe(1)
  })

  it('copies a delivery as curl and as a test', async () => {
    await using world = await openWorld(shop)
    await world.control('POST', `customers/${ASHA}/messages`, { text: 'hours' })
    await using opened = await openPage(browser(), world, ROW_BY_ROW)
    const { page } = opened
    await rows(page).filter({ hasText: 'message.received' }).click()
    await details(page).getByRole('tab', { name: 'Request' }).waitFor()
    await page.keyboard.press('c')
    await page.getByText('The delivery as a curl command was copied.').waitFor()
    expect(await clipboard(page)).toMatch(/^curl -i -X POST 'http:.*X-Service-Signature: sha256=/s)
    await details(page).getByText('Copy', { exact: true }).first().click()
    await details(page).getByRole('button', { name: 'Copy as test' }).click()
    await page.getByText('The delivery as a test was copied.').waitFor()
    expect(await clipboard(page)).toContain("customer.says('hours')")
  })

  it('says that nothing matches, and that a key is unknown', async () => {
    await using world = await openWorld(shop)
    await world.control('POST', `customers/${ASHA}/messages`, { text: 'hours' })
    await using opened = await openPage(browser(), world, { view: '&q=nobody-said-this+foo:bar' })
    const { page } = opened
    await page.getByText('No rows match').waitFor()
    await page.getByText('There is no key foo: here').waitFor()
    await page.getByRole('button', { name: 'Remove foo:bar' }).click()
    await expect.poll(() => search(page).inputValue()).toBe('nobody-said-this')
    await page.getByRole('button', { name: 'Clear the search' }).click()
    await rows(page).filter({ hasText: 'hours' }).waitFor()
  })

  it('keeps the place of a reader who scrolled back, counts new rows, and goes to them', async () => {
    await using world = await openWorld(shop)
    for (let index = 0; index < 60; index++) await world.control('PUT', 'faults', { rules: [] })
    await using opened = await openPage(browser(), world)
    const { page } = opened
    const grid = page.getByRole('treegrid', { name: 'What happened' })
    await rows(page).filter({ hasText: 'Faults changed' }).last().waitFor()
    await grid.focus()
    await page.keyboard.press('Home')
    await expect.poll(() => grid.evaluate((it) => it.scrollTop)).toBeLessThan(60)
    await world.control('PUT', 'account', { suspended: false })
    await page.getByRole('button', { name: '1 new' }).click()
    await rows(page).filter({ hasText: 'Account changed' }).waitFor()
    await expect.poll(() => page.getByRole('button', { name: /new$/ }).count()).toBe(0)
  })

  it('stays at its newest row when the list first overflows, and while the page grows narrow and wide again', async () => {
    await using world = await openWorld((bot) => {
      bot.otherwise((ctx) => ctx.reply('ok'))
    })
    await using opened = await openPage(browser(), world)
    const { page } = opened
    const drawn = () => page.evaluate('new Promise((d) => requestAnimationFrame(() => requestAnimationFrame(d)))')
    for (let n = 0; n < 40; n++) {
      await world.emulator.clock.advance('1m')
      await drawn()
    }
    for (const width of [1024, 390, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      await drawn()
    }
    await world.emulator.clock.advance('2h')
    const timeline = page.getByRole('region', { name: 'Timeline' })
    await timeline.getByText('+2 h', { exact: true }).waitFor()
    await expect.poll(() => timeline.getByText(/ new$/).count()).toBe(0)
  })
})
