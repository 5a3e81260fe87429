import { expect, it } from 'vitest'
import { describeInBrowser } from '../emulator/support/browser.ts'
import { ASHA, JUMA, openClinic, openDeskAs, PHONE } from './support/clinic.ts'
import { field, isSeen, row, until } from './support/walker.ts'

/** What misled people who saw the desk for the first time. */
describeInBrowser('the desk, for somebody who has never seen it', (browser) => {
  it('offers a button for the search that was typed, and says whose the last message was', async () => {
    await using clinic = await openClinic()
    await clinic.says(ASHA, 'person')
    await clinic.says(ASHA, 'This is Asha.')
    await clinic.says(JUMA, 'person')
    await using opened = await openDeskAs(browser(), clinic, 'neema', PHONE)
    const { page } = opened
    await row(page, JUMA).waitFor()
    await page.getByRole('searchbox').fill('asha')
    await page.getByRole('button', { name: 'Search', exact: true }).tap()
    await row(page, JUMA).waitFor({ state: 'detached' })
    await row(page, ASHA).tap()
    await isSeen(page)
    await field(page).fill('Come at five.')
    await page.getByRole('button', { name: 'Send' }).tap()
    await page.locator('.bubble.from-person').waitFor()
    await page.getByRole('link', { name: 'Back to the list' }).tap()
    await row(page, ASHA).getByText('You: Come at five.').waitFor()
    await using colleague = await openDeskAs(browser(), clinic, 'baraka', { at: '#/recent' })
    await row(colleague.page, ASHA).getByText('Colleague: Come at five.').waitFor()
  })

  it('sends a failed message again once, also when two people ask, and its refusal hides no act', async () => {
    await using clinic = await openClinic()
    await clinic.says(ASHA, 'person')
    await using neema = await openDeskAs(browser(), clinic, 'neema', PHONE)
    const { page } = neema
    await row(page, ASHA).tap()
    await isSeen(page)
    await clinic.emulator.faults.set([{ on: 'send', do: 'status', status: 422, code: 'validation_error', next: 1 }])
    await field(page).fill('Your card is ready.')
    await page.getByRole('button', { name: 'Send' }).tap()
    const again = page.getByRole('button', { name: 'Send again' })
    await again.waitFor()
    await page.getByRole('button', { name: 'More' }).tap()
    // The menu is above the words of the refusal.
    await page.getByRole('button', { name: 'Give to the bot…' }).tap()
    await page.getByRole('button', { name: 'Cancel' }).tap()
    await using baraka = await openDeskAs(browser(), clinic, 'baraka', { at: '#/recent' })
    await row(baraka.page, ASHA).click()
    await baraka.page.getByRole('button', { name: 'Send again' }).waitFor()

    await again.tap()
    await again.waitFor({ state: 'detached' })
    await page.locator('.notice').waitFor({ state: 'hidden' })
    await until(async () => (await clinic.replies(ASHA)).includes('Your card is ready.'))
    await baraka.page.locator('.bubble.from-person').nth(1).waitFor()
    await baraka.page.getByRole('button', { name: 'Send again' }).click()
    await baraka.page.getByText('It was sent before.').waitFor()
    const sent = (await clinic.replies(ASHA)).filter((text) => text === 'Your card is ready.')
    expect(sent).toHaveLength(1)
  })

  it('says that the bot answers again when its rest ends, not at the next look of the minute', async () => {
    await using clinic = await openClinic()
    await clinic.says(ASHA, 'hello')
    await using opened = await openDeskAs(browser(), clinic, 'neema')
    await opened.page.getByText('Nobody is waiting.').waitFor()
    await clinic.bot().to(ASHA).handOver({ for: '6s' })
    await clinic.says(ASHA, 'Is somebody there?')
    // The next look comes a minute after the page was opened.
    await row(opened.page, ASHA).getByText('The bot answers again').waitFor({ timeout: 30_000 })
  })

  it.each([
    ['sw', 'Inaunganisha…', 'Haikufanikiwa.', 'ltr'],
    ['ar', 'جارٍ الاتصال…', 'لم ينجح ذلك.', 'rtl'],
  ])(
    'has its first words in its language (%s), and says why it does not open',
    async (language, first, failed, dir) => {
      await using clinic = await openClinic({ language })
      await using opened = await openDeskAs(browser(), clinic, 'neema', { at: '../nowhere' })
      const { page } = opened
      let answer = () => {}
      const waits = new Promise<void>((resolve) => (answer = resolve))
      await page.route('**/api/state', async (route) => {
        await waits
        await route.continue()
      })
      await page.goto(`${clinic.url}/desk/`)
      await page.getByText(first).waitFor()
      expect(await page.locator('html').getAttribute('dir')).toBe(dir)
      answer()
      await using wrong = await openDeskAs(browser(), clinic, 'wrong')
      await wrong.page.getByText(failed).waitFor()
      await wrong.page.getByText('authorize() returned write without reveal').waitFor()
      expect(await wrong.page.locator('html').getAttribute('lang')).toBe(language)
    },
  )
})
