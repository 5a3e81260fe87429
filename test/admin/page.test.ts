import { expect, it, vi } from 'vitest'
import { describeInBrowser } from '../page/support/browser.ts'
import { violations } from '../page/support/violations.ts'
import { doIt, goTo, openAdmin } from './support/page.ts'
import { CUSTOMERS, openShop, SECRET_TEXT } from './support/shop.ts'

const [ASHA, JUMA] = CUSTOMERS
const TABS = ['Overview', 'Deliveries', 'Sends', 'Conversations', 'Payloads', 'Record']

const until = (holds: () => unknown) =>
  vi.waitFor(async () => expect(await holds()).toBeTruthy(), { timeout: 60_000, interval: 20 })

describeInBrowser('the admin page', (browser) => {
  it('shows what waits for a person, and retries one dead delivery after a question', async () => {
    await using shop = await openShop()
    await shop.emulator.customer(ASHA).says(SECRET_TEXT)
    await using opened = await openAdmin(browser(), `${shop.url}/admin`)
    const { page, complaints } = opened
    await page
      .getByRole('link', { name: /^Dead\s*1/ })
      .first()
      .click()
    await page.getByRole('link', { name: 'message.received' }).click()
    await page.getByText('hears:/^price/').waitFor()
    shop.mend()
    await doIt(page, 'Retry…', 'Retry')
    await page.getByText('The delivery is put back.').waitFor()
    await until(async () => (await shop.replies(ASHA)).includes('It costs 5,000.'))
    await goTo(page, 'Record')
    await page.locator('#view .row', { hasText: 'delivery 1' }).getByText('neema@shop.example').waitFor()
    expect(complaints).toEqual([])
  })

  it('retries all that match a filter after it has said how many of how many customers, and only what was shown', async () => {
    await using shop = await openShop()
    await shop.emulator.customer(ASHA).says(SECRET_TEXT)
    await shop.emulator.customer(JUMA).says('price of bread')
    await using opened = await openAdmin(browser(), `${shop.url}/admin#/deliveries?state=dead`)
    const { page } = opened
    await until(async () => (await page.locator('a.row').count()) === 2)
    shop.mend()
    await page.getByRole('button', { name: 'Retry all that match…' }).click()
    await page.getByRole('dialog').getByText('2 deliveries of 2 customers').waitFor()
    // Another one dies while the person reads: it was not shown, so nothing is done.
    shop.fail()
    await shop.emulator.customer(ASHA).says('price of salt')
    await until(async () => (await page.locator('a.row').count()) === 3)
    shop.mend()
    await page.getByRole('dialog').getByRole('button', { name: 'Retry 2' }).click()
    await page.getByText('Since the preview something else matches').waitFor()
    expect(await shop.replies(JUMA)).toEqual([])
    await doIt(page, 'Retry all that match…', 'Retry 3')
    await until(async () => (await shop.replies(JUMA)).length === 1 && (await shop.replies(ASHA)).length === 2)
  })

  it('resolves an unknown send, cancels a scheduled one, and resumes a number that is paused', async () => {
    await using shop = await openShop()
    await shop.emulator.customer(JUMA).says('remind')
    const scheduled = async () => (await fetch(`${shop.url}/admin/api/sends?state=scheduled`)).json()
    await until(async () => ((await scheduled()) as { rows: unknown[] }).rows.length === 1)
    await shop.emulator.faults.set([{ on: 'send', do: 'lose_answer', next: 1 }])
    await shop.emulator.customer(ASHA).says('hours')
    await using opened = await openAdmin(browser(), `${shop.url}/admin`)
    const { page } = opened
    await page.getByRole('link', { name: /^Unknown sends/ }).click()
    await page.locator('a.row').click()
    await doIt(page, 'It arrived…', 'It arrived')
    await page.getByText('The send counts as accepted.').waitFor()
    await page.goto(`${shop.url}/admin#/sends?state=scheduled`)
    // The send's own page has a row too: that of its delivery.
    await page.getByRole('heading', { name: 'Sends' }).waitFor()
    await page.locator('a.row').click()
    await doIt(page, 'Cancel it…', 'Cancel the send')
    await page.getByText('The send is cancelled.').waitFor()
    expect(await shop.replies(ASHA)).toHaveLength(1)
    await shop.emulator.faults.set([{ on: 'send', do: 'status', status: 429, next: 1 }])
    await shop.emulator.customer(JUMA).says('hours')
    await goTo(page, 'Overview')
    await page.getByText('Number default is paused').waitFor()
    await doIt(page, 'Resume', 'Resume')
    await until(async () => (await shop.replies(JUMA)).length === 1)
  })

  it('hands a customer who was typed in over to a person, and back, and masks them all the while', async () => {
    await using shop = await openShop()
    await shop.emulator.customer(ASHA).says('hours')
    await until(async () => (await shop.replies(ASHA)).length === 1)
    await using opened = await openAdmin(browser(), `${shop.url}/admin`)
    const { page, asked } = opened
    await page.keyboard.press('/')
    await page.keyboard.type(`+${ASHA}`)
    await page.keyboard.press('Enter')
    await page.locator('a.row').click()
    await doIt(page, 'Take over…', 'Take over')
    await page.getByText('The bot is silent for this customer (').waitFor()
    await shop.emulator.customer(ASHA).says('hours')
    // It is handled in silence before the bot speaks again.
    const states = async () => JSON.stringify(await (await fetch(`${shop.url}/admin/api/deliveries`)).json())
    await until(async () => (await states()).split('"done":1').length === 3)
    await doIt(page, 'Give back to the bot…', 'Give back')
    await page.getByRole('button', { name: 'Take over…' }).waitFor()
    await shop.emulator.customer(ASHA).says('hello')
    await until(async () => (await shop.replies(ASHA)).some((reply) => reply?.startsWith('Welcome')))
    expect(await shop.replies(ASHA)).toHaveLength(2)
    expect(asked.filter((address) => address.includes(ASHA))).toEqual([])
    expect(page.url()).not.toContain(ASHA)
  })

  it('shows no number and no text in any view, until a view is revealed, which is recorded', async () => {
    await using shop = await openShop()
    await shop.emulator.customer(ASHA).says(SECRET_TEXT)
    await shop.emulator.customer(ASHA).says('hours')
    await until(async () => (await shop.replies(ASHA)).length === 1)
    await using opened = await openAdmin(browser(), `${shop.url}/admin`)
    const { page } = opened
    const expectMasked = async () => {
      const shown = await page.content()
      for (const canary of [ASHA, 'mpenzi', 'We are open']) expect(shown).not.toContain(canary)
    }
    for (const tab of TABS) {
      await goTo(page, tab)
      await page.locator('#view > *').waitFor()
      await expectMasked()
    }
    await page.goto(`${shop.url}/admin#/deliveries/1`)
    await page.getByText('What was read of it').click()
    await expectMasked()
    await page.getByRole('link', { name: '…543' }).click()
    await page.getByText('What was said').waitFor()
    await expectMasked()
    await page.keyboard.press('v')
    await page.getByText(SECRET_TEXT).waitFor()
    await page.getByText(ASHA).first().waitFor()
    await page.keyboard.press('v')
    await page.getByText(SECRET_TEXT).waitFor({ state: 'detached' })
    await expectMasked()
    await goTo(page, 'Record')
    await page.getByText('revealed').waitFor()
    await expectMasked()
  })

  it('masks a revealed view at once, and for whoever comes back to it', async () => {
    await using shop = await openShop()
    await shop.emulator.customer(ASHA).says(SECRET_TEXT)
    await using opened = await openAdmin(browser(), `${shop.url}/admin#/deliveries/1`)
    const { page } = opened
    const reveal = page.getByRole('button', { name: 'Reveal', exact: true })
    const secret = page.getByText(SECRET_TEXT).last()
    await reveal.click()
    await secret.waitFor()
    await goTo(page, 'Sends')
    await page.getByRole('heading', { name: 'Sends' }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: /^Delivery \d+/ }).waitFor()
    await reveal.click()
    await secret.waitFor()
    // The bot does not answer any more.
    await page.route('**/api/deliveries/1', () => {})
    await page.getByRole('button', { name: 'Revealed' }).click()
    await secret.waitFor({ state: 'detached' })
  })

  it('keeps nothing on the screen once the session is over', async () => {
    let isSignedIn = true
    await using shop = await openShop({ authorize: () => (isSignedIn ? 'neema@shop.example' : undefined) })
    await shop.emulator.customer(ASHA).says(SECRET_TEXT)
    await using opened = await openAdmin(browser(), `${shop.url}/admin#/deliveries/1`)
    const { page } = opened
    await page.getByText('hears:/^price/').waitFor()
    isSignedIn = false
    // By the address: the links of the views go with the session.
    await page.evaluate(`location.hash = '#/sends'`)
    await page.getByText('You are not signed in any more.').waitFor()
    expect(await page.getByRole('navigation').count()).toBe(0)
  })

  it('is not led out of by an address that somebody made up, nor by Escape', async () => {
    await using shop = await openShop()
    await using opened = await openAdmin(browser(), `${shop.url}/admin#/deliveries/..%2F..%2F..%2Flogout`)
    const { page, asked } = opened
    await page.getByText('There is no delivery').waitFor()
    expect(asked.filter((address) => address.endsWith('/logout'))).toEqual([])
    await page.keyboard.press('Escape')
    await goTo(page, 'Sends')
    await page.getByRole('heading', { name: 'Sends' }).waitFor()
  })

  it('offers nothing to whoever may only look', async () => {
    await using shop = await openShop({ readOnly: true, reveal: false })
    await shop.emulator.customer(ASHA).says(SECRET_TEXT)
    await using opened = await openAdmin(browser(), `${shop.url}/admin#/deliveries/1`)
    const { page } = opened
    await page.getByText('hears:/^price/').waitFor()
    await page.getByText('read-only').waitFor()
    const buttons = await page.locator('#view button').allInnerTexts()
    expect(buttons.filter((text) => text !== '')).toEqual(['Raw'])
    const refused = await page.evaluate(`fetch('api/act', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-switchhook-admin': '1' },
      body: '{"act":"retry","deliveries":[1]}',
    }).then((answer) => answer.status)`)
    expect(refused).toBe(403)
  })

  it('shows nothing to whoever is not signed in', async () => {
    await using shop = await openShop({ authorize: () => undefined })
    const page = await browser().newPage()
    const answer = await page.goto(`${shop.url}/admin/`)
    expect(answer?.status()).toBe(401)
    expect(await page.locator('body').innerText()).toBe('This page is not for you, or you are not signed in.')
    await page.close()
  })

  for (const colorScheme of ['light', 'dark'] as const)
    it(`has no violation that axe-core knows, in ${colorScheme}, asks no other origin, and breaks no policy`, async () => {
      await using shop = await openShop()
      await shop.emulator.customer(ASHA).says(SECRET_TEXT)
      await shop.emulator.customer(JUMA).says('remind')
      await using opened = await openAdmin(browser(), `${shop.url}/admin`, { colorScheme })
      const { page, complaints, asked } = opened
      for (const tab of TABS) {
        await goTo(page, tab)
        await page.locator('#view .row, #view section, #view .empty').first().waitFor()
        expect(await violations(page), tab).toEqual([])
      }
      for (const place of ['#/deliveries/1', '#/sends?state=scheduled', '#/nowhere']) {
        await page.goto(`${shop.url}/admin${place}`)
        await page.locator('#view .row, #view section').first().waitFor()
        expect(await violations(page), place).toEqual([])
      }
      await page.keyboard.press('?')
      await page.getByRole('dialog').waitFor()
      expect(await violations(page)).toEqual([])
      expect(asked.filter((address) => !address.startsWith(shop.url))).toEqual([])
      expect(complaints).toEqual([])
    })

  it('goes by keyboard: to a list, from row to row, into one, and back', async () => {
    await using shop = await openShop()
    for (const text of ['hello', 'hours', SECRET_TEXT]) await shop.emulator.customer(ASHA).says(text)
    await using opened = await openAdmin(browser(), `${shop.url}/admin`)
    const { page } = opened
    await page.keyboard.press('2')
    await page.locator('a.row').nth(2).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await until(() => page.evaluate(`document.activeElement.dataset.index === '1'`))
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: /^Delivery \d+/ }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('heading', { name: 'Deliveries' }).waitFor()
  })

  it('goes by j in the list that has the focus, of the two of a view, each of which was asked for once', async () => {
    await using shop = await openShop()
    await using opened = await openAdmin(browser(), `${shop.url}/admin`)
    const { page, asked } = opened
    const who = (handle: string) => ({ number: 'default', customer: '…101', handle })
    const conversations = ['a', 'b'].map((id) => ({ ...who(id), id, name: 'booking', version: 1, steps: 1 }))
    const timers = ['c', 'd'].map((id) => ({ ...who(id), kind: 'window_closing', dueAt: '2026-03-04T09:00:00Z' }))
    await page.route('**/api/conversations?*', (route) => route.fulfill({ json: { rows: conversations } }))
    await page.route('**/api/timers?*', (route) => route.fulfill({ json: { rows: timers } }))
    await goTo(page, 'Conversations')
    await page.locator('a.row').nth(3).waitFor()
    const focused = () => page.evaluate(`document.activeElement.getAttribute('href')`)
    for (const handle of ['a', 'b']) {
      await page.keyboard.press('j')
      await until(async () => (await focused()) === `#/customers/${handle}`)
    }
    await page.getByRole('list', { name: 'Timers' }).getByRole('link').first().focus()
    await page.keyboard.press('j')
    await until(async () => (await focused()) === '#/customers/d')
    for (const list of ['conversations', 'timers'])
      expect(
        asked.filter((address) => address.includes(`api/${list}?`)),
        list,
      ).toHaveLength(1)
  })

  it.each([1440, 390])('shows what either side said as wide as its text, on %s pixels', async (width) => {
    await using shop = await openShop()
    await shop.emulator.customer(ASHA).says('hours')
    await until(async () => (await shop.replies(ASHA)).length === 1)
    await using opened = await openAdmin(browser(), `${shop.url}/admin`, { viewport: { width, height: 844 } })
    const { page } = opened
    await page.goto(`${shop.url}/admin#/deliveries/1`)
    await page.locator('.facts a').first().click()
    const widths = (who: string) =>
      page.locator(`.thread .${who}`).evaluate((bubble) => {
        const { width } = bubble.getBoundingClientRect()
        Object.assign((bubble as unknown as { style: object }).style, { width: 'fit-content' })
        return { width, ofText: bubble.getBoundingClientRect().width }
      })
    for (const who of ['customer', 'bot']) {
      const { width, ofText } = await widths(who)
      expect(width, who).toBe(ofText)
    }
  })

  it('works on a phone without a scroll to the side', async () => {
    await using shop = await openShop()
    await shop.emulator.customer(ASHA).says(SECRET_TEXT)
    await using opened = await openAdmin(browser(), `${shop.url}/admin`, { viewport: { width: 390, height: 844 } })
    const { page } = opened
    for (const place of ['', '#/deliveries', '#/deliveries/1', '#/sends', '#/payloads', '#/acts']) {
      await page.goto(`${shop.url}/admin${place}`)
      await page.locator('#view > *').waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth'), place).toBeLessThanOrEqual(390)
    }
  })
})
