import { expect, it, vi } from 'vitest'
import { describeInBrowser } from '../emulator/support/browser.ts'
import { violations } from '../emulator/support/violations.ts'
import { doIt, goTo, openAdmin } from '../../admin/support/page.ts'
import { CUSTOMERS, openShop, SECRET_TEXT } from '../../admin/support/shop.ts'
import { template } from '../../../src/bot/switchhook.ts'

const [ASHA, JUMA] = CUSTOMERS
const TABS = ['Overview', 'Deliveries', 'Sends', 'Conversations', 'Announcements', 'Record']

const until = (holds: () => unknown) =>
  vi.waitFor(async () => expect(await holds()).toBeTruthy(), { timeout: 60_000, interval: 20 })

describeInBrowser('the admin page', (browser) => {
  it('shows what waits for a person and lets them correct it, is accessible in every kind of view, and breaks no policy', async () => {
    await using shop = await openShop()
    await shop.emulator.customer(ASHA).says(SECRET_TEXT)
    await shop.emulator.customer(JUMA).says('remind')
    await using opened = await openAdmin(browser(), `${shop.url}/admin`)
    const { page, complaints, asked } = opened
    for (const tab of TABS) {
      await goTo(page, tab)
      await page.locator('#view .row, #view section, #view .empty').first().waitFor()
    }

    await goTo(page, 'Overview')
    expect(await violations(page)).toEqual([])
    await page.getByRole('link', { name: /^Dead\s*1/ }).click()
    await page.getByRole('link', { name: 'message.received' }).click()
    await page.getByText('hears:/^price/').waitFor()
    expect(await violations(page)).toEqual([])
    await page.emulateMedia({ colorScheme: 'dark' })
    // Only colours depend on the theme.
    expect(await violations(page, ['color-contrast'])).toEqual([])
    shop.fix()
    await doIt(page, 'Retry…', 'Retry')
    await page.getByText('The delivery is requeued.').waitFor()
    await until(async () => (await shop.replies(ASHA)).includes('It costs 5,000.'))

    shop.fail()
    for (const customer of [ASHA, JUMA]) await shop.emulator.customer(customer).says('price of bread')
    await page.evaluate(`location.hash = '#/deliveries?state=dead'`)
    await until(async () => (await page.locator('a.row').count()) === 2)
    shop.fix()
    await page.getByRole('button', { name: 'Retry all that match…' }).click()
    await page.getByRole('dialog').getByText('They belong to 2 customers.').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Retry 2' }).click()
    await until(async () => (await shop.replies(JUMA)).length === 1 && (await shop.replies(ASHA)).length === 2)

    // A list continues at the address's place, and Back leads to the previous page.
    await page.evaluate(`location.hash = '#/deliveries?event=message.received&limit=1'`)
    const newest = await page.locator('a.row .seq').innerText()
    await page.getByRole('link', { name: 'Next page' }).click()
    await page.locator('a.row .seq', { hasNotText: newest }).waitFor()
    await page.goBack()
    await page.locator('a.row .seq', { hasText: newest }).waitFor()

    await page.goto(`${shop.url}/admin#/sends?state=scheduled`)
    await page.getByRole('heading', { name: 'Sends' }).waitFor()
    await page.locator('a.row').click()
    await doIt(page, 'Cancel it…', 'Cancel the send')
    await page.getByText('The send is cancelled.').waitFor()
    await shop.emulator.faults.set([{ on: 'send', do: 'lose_answer', next: 1 }])
    await shop.emulator.customer(ASHA).says('hours')
    await goTo(page, 'Overview')
    await page.getByRole('link', { name: /^Unknown sends/ }).click()
    await page.locator('a.row').click()
    await doIt(page, 'It arrived…', 'It arrived')
    await page.getByText('The send counts as accepted.').waitFor()

    await goTo(page, 'Record')
    await page.locator('#view .row', { hasText: 'delivery 1' }).getByText('neema@shop.example').waitFor()
    expect(asked.filter((address) => !address.startsWith(shop.url))).toEqual([])
    expect(complaints).toEqual([])
  })

  it('shows no number and no text on a phone either until a view is revealed, and nothing after the session has ended', async () => {
    let isSignedIn = true
    await using shop = await openShop({ authorize: () => (isSignedIn ? 'neema@shop.example' : undefined) })
    await shop.emulator.customer(ASHA).says(SECRET_TEXT)
    await shop.emulator.customer(ASHA).says('hours')
    await until(async () => (await shop.replies(ASHA)).length === 1)
    await using opened = await openAdmin(browser(), `${shop.url}/admin`, { viewport: { width: 390, height: 844 } })
    const { page } = opened
    const expectMasked = async () => {
      const shown = await page.content()
      for (const canary of [ASHA, 'mpenzi', 'We are open']) expect(shown).not.toContain(canary)
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
    }
    for (const tab of TABS) {
      await goTo(page, tab)
      await page.locator('#view > *').waitFor()
      await expectMasked()
    }
    await page.goto(`${shop.url}/admin#/deliveries/1`)
    await page.getByText('Facts', { exact: true }).click()
    await expectMasked()
    await page.getByRole('link', { name: '…543' }).click()
    await page.getByRole('heading', { name: 'Messages' }).waitFor()
    await expectMasked()
    await page.getByRole('button', { name: 'Reveal', exact: true }).click()
    await page.getByText(SECRET_TEXT).waitFor()
    await page.getByText(ASHA).first().waitFor()
    // The view is masked at once, without an answer of the bot, and for a person who returns to it.
    await page.route('**/api/customers/*', () => {})
    await page.getByRole('button', { name: 'Revealed' }).click()
    await page.getByText(SECRET_TEXT).waitFor({ state: 'detached' })
    await expectMasked()
    await page.unroute('**/api/customers/*')
    await page.getByRole('button', { name: 'Reveal', exact: true }).click()
    await page.getByText(SECRET_TEXT).waitFor()
    await goTo(page, 'Record')
    await page.locator('.row', { hasText: 'reveal' }).first().waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: 'Messages' }).waitFor()
    await expectMasked()
    isSignedIn = false
    await page.evaluate(`location.hash = '#/sends'`)
    await page.getByText('You are no longer signed in.').waitFor()
    expect(await page.getByRole('navigation').count()).toBe(0)
  })

  it('counts who waits for a person, leads to the desk, and finds a customer with no number in an address', async () => {
    await using shop = await openShop({ desk: '/desk/' })
    await shop.emulator.customer(ASHA).says('hours')
    await until(async () => (await shop.replies(ASHA)).length === 1)
    await using opened = await openAdmin(browser(), `${shop.url}/admin`)
    const { page, complaints, asked } = opened
    await shop.bot.to(ASHA).handOver({ for: '2d' })
    const tile = page.getByRole('link', { name: /^Customers wait\s*1/ })
    await tile.waitFor()
    expect(await tile.getAttribute('href')).toBe('/desk/')
    await page
      .getByRole('navigation')
      .getByRole('link', { name: /^Overview\s*1/ })
      .waitFor()
    expect(await violations(page)).toEqual([])
    await page.getByRole('searchbox').fill(`+${ASHA}`)
    await page.keyboard.press('Enter')
    await page.locator('a.row').click()
    expect(await page.getByRole('searchbox').inputValue()).toBe('')
    await page.getByText('A person has this customer, and the bot').waitFor()
    expect(await page.getByRole('textbox').count()).toBe(0)
    expect(asked.filter((address) => address.includes(ASHA))).toEqual([])
    expect(page.url()).not.toContain(ASHA)
    expect(complaints).toEqual([])
  })

  it('shows an announcement and its recipients, on a phone too, prints its report alone, exports it and retries', async () => {
    await using shop = await openShop()
    await shop.emulator.templates.add({ name: 'news', language: 'en', body: 'News' })
    await shop.emulator.faults.set([{ on: 'send', do: 'status', code: 'validation_error', next: 1 }])
    const rows = [...CUSTOMERS, 'nobody'].map((to) => ({ to, name: 'Zuhura' }))
    const job = await shop.bot.announce(['sale', 'November'], rows, template('news', 'en'), { perMinute: 6_000 })
    await until(async () => (await job.progress()).state === 'done')
    await using opened = await openAdmin(browser(), `${shop.url}/admin#/announcements`)
    const { page, complaints, asked } = opened
    await page.getByRole('link', { name: 'sale November' }).click()
    await page.getByRole('row', { name: /^Failed .* 2 50%$/ }).waitFor()
    expect(await violations(page)).toEqual([])
    await page
      .getByRole('group', { name: 'State' })
      .getByRole('link', { name: /^Failed\s*2/ })
      .click()
    await until(async () => (await page.locator('.row').count()) === 2)
    expect(await page.content()).not.toContain('Zuhura')

    const failed: string[] = []
    for await (const { to } of job.recipients({ state: 'failed' })) failed.push(to)
    const refused = failed.find((to) => to !== 'nobody') ?? ''
    await page.getByLabel('Phone number').fill(refused)
    await page.keyboard.press('Enter')
    await until(async () => (await page.locator('.row', { hasText: 'validation_error' }).count()) === 2)
    expect(await page.getByLabel('Phone number').inputValue()).toBe('')
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export with numbers' }).click(),
    ])
    expect(file.suggestedFilename()).toBe('announcement-1.csv')
    const chunks: Buffer[] = []
    for await (const chunk of await file.createReadStream()) chunks.push(chunk as Buffer)
    expect(Buffer.concat(chunks).toString()).toContain(`"${refused}","failed","validation_error"`)

    await page.emulateMedia({ media: 'print' })
    expect(await page.getByRole('heading', { name: 'Recipients' }).isVisible()).toBe(false)
    expect(await page.getByRole('navigation').isVisible()).toBe(false)
    expect(await page.getByRole('row', { name: /^Failed/ }).isVisible()).toBe(true)
    await page.emulateMedia({ media: 'screen', colorScheme: 'dark' })
    expect(await violations(page, ['color-contrast'])).toEqual([])

    await doIt(page, 'validation_error (1)…', 'Retry')
    await page.getByText('1 recipient wait again.').waitFor()
    await until(async () => (await shop.replies(refused)).length === 1)
    for (const customer of CUSTOMERS) expect(await shop.replies(customer)).toHaveLength(1)
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
    expect(await violations(page)).toEqual([])
    expect(asked.filter((address) => address.includes(refused))).toEqual([])
    expect(complaints).toEqual([])
  })

  it('draws the last day and week on the overview, with the numbers as a table, and a row for a paused announcement', async () => {
    await using shop = await openShop()
    await shop.emulator.customer(ASHA).says('hours')
    await shop.emulator.customer(JUMA).says('price of bread')
    await until(async () => (await shop.replies(ASHA)).length === 1)
    const job = await shop.bot.announce('sale', [JUMA], template('gone', 'en'))
    await until(async () => (await job.progress()).state === 'paused')
    const viewport = { width: 390, height: 844 }
    await using opened = await openAdmin(browser(), `${shop.url}/admin`, { viewport, colorScheme: 'dark' })
    const { page, complaints } = opened
    const table = page.getByRole('region', { name: 'Last 7 days' }).getByRole('table', { name: 'Last 7 days' })
    await table.getByRole('row').last().waitFor({ state: 'attached' })
    expect(await table.getByRole('row').count()).toBe(8)
    const today = await table.getByRole('row').last().getByRole('cell').allInnerTexts()
    expect(today.slice(0, 4)).toEqual(['2', '1', '1', '0'])
    expect(today[4]).toMatch(/^\d+\.\d s$/)
    expect(await page.locator('.chart svg').count()).toBe(10)
    await page.getByText('is paused since').waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
    expect(await violations(page)).toEqual([])
    await page.getByRole('link', { name: 'sale' }).click()
    await page.getByRole('heading', { name: /^sale\s+paused/ }).waitFor()
    expect(complaints).toEqual([])
  })

  it('lists an open conversation, counts it on the overview, and ends it from the page of its customer', async () => {
    await using shop = await openShop()
    await shop.emulator.customer(ASHA).says('book')
    await until(async () => (await shop.replies(ASHA)).length === 1)
    await using opened = await openAdmin(browser(), `${shop.url}/admin`)
    const { page, complaints } = opened
    await page.getByRole('link', { name: /^Open conversations\s*1$/ }).click()
    await page.getByText('1 step, waits for an answer').click()
    await page.getByText('booking since').waitFor()
    await doIt(page, 'End…', 'End it')
    await page.getByText('The conversation is ended.').waitFor()
    await page.getByText('booking since').waitFor({ state: 'detached' })
    expect(complaints).toEqual([])
  })

  it('offers nothing to a visitor with readOnly, and an invented address leads nowhere', async () => {
    await using shop = await openShop({ readOnly: true, reveal: false })
    await shop.emulator.customer(ASHA).says(SECRET_TEXT)
    await using opened = await openAdmin(browser(), `${shop.url}/admin#/deliveries/..%2F..%2F..%2Flogout`)
    const { page, asked } = opened
    await page.getByText('does not exist').waitFor()
    expect(asked.filter((address) => address.endsWith('/logout'))).toEqual([])
    await page.evaluate(`location.hash = '#/deliveries/1'`)
    await page.getByText('hears:/^price/').waitFor()
    await page.getByText('read-only').waitFor()
    expect(await page.getByRole('link', { name: 'Desk' }).count()).toBe(0)
    const buttons = await page.locator('#view button').allInnerTexts()
    expect(buttons.filter((text) => text !== '')).toEqual([])
  })

  it('shows a person no button for what they have no right to', async () => {
    await using shop = await openShop({ authorize: () => ({ name: 'juma', retry: false, announce: false }) })
    await shop.emulator.customer(ASHA).says(SECRET_TEXT)
    await using opened = await openAdmin(browser(), `${shop.url}/admin#/deliveries/1`)
    const { page } = opened
    await page.getByText('hears:/^price/').waitFor()
    expect(await page.getByRole('button', { name: 'Retry…' }).count()).toBe(0)
    await page.evaluate(`location.hash = '#/deliveries?state=dead'`)
    await page.locator('a.row').waitFor()
    expect(await page.getByRole('button', { name: 'Retry all that match…' }).count()).toBe(0)
  })
})
