import { expect, it } from 'vitest'
import { describeInBrowser } from '../emulator/support/browser.ts'
import { openTab } from '../emulator/support/tab.ts'
import { violations } from '../emulator/support/violations.ts'
import { PHONE } from './support/clinic.ts'
import { halvesOf, openTemplateDesk, signIn, writeOnPhone } from './support/template-desk.ts'

describeInBrowser('the support-desk template', (browser) => {
  it('shows phone and desk side by side: a person signs in, a customer asks for somebody, and reads the answer', async () => {
    await using template = await openTemplateDesk()
    await using tab = await openTab(browser())
    const { page } = tab
    await page.goto(template.url)
    const { phone, desk } = halvesOf(page)
    await phone.getByRole('status').getByText('Live').waitFor()
    await desk.getByRole('heading', { name: 'Sign in' }).waitFor()
    await signIn(desk, 'neema')
    await desk.getByText('Nobody is waiting.').waitFor()
    await writeOnPhone(phone, 'person')
    await writeOnPhone(phone, 'My shoes are too small.')
    await desk.locator('.person', { hasText: 'My shoes are too small.' }).click()
    await desk.locator('.lines-of-chat[data-seen="true"]').waitFor()
    await desk.getByLabel('Message', { exact: true }).fill('Send them back, and we change them.')
    await page.keyboard.press('Enter')
    await phone.getByRole('log').getByText('Send them back, and we change them.').waitFor()
    // A chat can be passed to the people who may sign in.
    await desk.getByRole('button', { name: 'Pass to…' }).click()
    expect(await desk.getByRole('dialog').innerText()).toContain('baraka')
    await page.keyboard.press('Escape')

    await desk.getByText('Settings').click()
    await desk.getByRole('link', { name: 'Sign out' }).click()
    await desk.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(tab.complaints).toEqual([])
    expect(await violations(page)).toEqual([])
  })

  it('signs people in on a phone, in light and dark, by keyboard alone, and reads out what was wrong', async () => {
    await using template = await openTemplateDesk()
    await using tab = await openTab(browser(), PHONE)
    const { page } = tab
    await page.goto(`${template.url}/admin/`)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    // The first field has the focus.
    await page.keyboard.type('neema')
    await page.keyboard.press('Tab')
    await page.keyboard.type('a wrong one')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('The name or the password is wrong.').waitFor()
    expect(await page.getByLabel('Password').getAttribute('aria-describedby')).toBe('problem')
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await violations(page)).toEqual([])
    }
    await page.keyboard.type('example-neema')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${template.url}/admin/`)
    await page.getByRole('status').getByText('Live').waitFor({ state: 'attached' })
    expect(tab.complaints.filter((line) => !line.includes('401'))).toEqual([])
  })
})
