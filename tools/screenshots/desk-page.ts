/** Takes the pictures of the desk: a chat for the docs, or `all` views, wide and narrow, in light and in dark. */
import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { LAUNCH } from '../../test/pages/emulator/support/browser.ts'
import { halvesOf, openTemplateDesk, signIn, writeOnPhone } from '../../test/pages/desk/support/template-desk.ts'
import { openTab } from '../../test/pages/emulator/support/tab.ts'
import { ASHA, type Clinic, JUMA, openClinic, openDeskAs, ZUHURA } from '../../test/pages/desk/support/clinic.ts'

const SIZES = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
] as const

export async function takeDeskPictures(folder: string, { all }: { all: boolean }): Promise<void> {
  await using clinic = await openClinic()
  await talk(clinic)
  const browser = await chromium.launch(LAUNCH)
  try {
    for (const viewport of all ? SIZES : SIZES.slice(0, 1))
      for (const colorScheme of all ? (['light', 'dark'] as const) : (['light'] as const)) {
        await using opened = await openDeskAs(browser, clinic, 'neema', { viewport, colorScheme })
        const { page } = opened
        const picture = (view: string) =>
          page.screenshot({ path: join(folder, `desk-${view}-${viewport.width}-${colorScheme}.png`) })
        await page.locator('.person').nth(1).waitFor()
        if (all) await picture('list')
        await page.locator('.person', { hasText: ASHA }).click()
        await page.getByText('Bring her vaccination card.').waitFor()
        await picture('chat')
        if (all) await takeSnippets(page, picture)
      }
  } finally {
    await browser.close()
  }
}

/** A morning of a clinic: three wait, and one has an answer and a note. */
async function talk(clinic: Clinic): Promise<void> {
  for (const customer of [ASHA, ZUHURA, JUMA]) await clinic.says(customer, 'person')
  await clinic.says(ASHA, 'My daughter has had a fever since yesterday. Can we come today?')
  await clinic.says(ZUHURA, 'Is the doctor in on Saturday?')
  await clinic.says(JUMA, 'I have lost my appointment card.')
  const people = await openPerson(clinic)
  const customer = await people.find(ASHA)
  await people.act({ act: 'take', customer })
  await people.act({ act: 'note', customer, note: 'Room 3 is free at five.' })
  await people.write(customer, 'Yes, come at five. Bring her vaccination card.')
  await clinic.says(ASHA, 'Thank you! Is there a bus?')
}

/** Acts as a person without a browser. */
async function openPerson({ url }: Clinic) {
  const post = async <T>(path: string, body: unknown): Promise<T> => {
    const headers = { 'x-who': 'neema', 'x-switchhook-admin': '1', 'content-type': 'application/json' }
    const answer = await fetch(`${url}/desk/api/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    return (await answer.json()) as T
  }
  return {
    act: (asked: unknown) => post('act', asked),
    find: async (text: string) =>
      (await post<{ rows: { customer: string }[] }>('search', { text })).rows[0]?.customer ?? '',
    async write(customer: string, text: string) {
      const { seen } = await post<{ seen: unknown }>('visit', { customer })
      await post('act', { act: 'write', customer, key: 'an-answer', seen, text })
    },
  }
}

async function takeSnippets(page: Page, picture: (view: string) => Promise<unknown>): Promise<void> {
  await page.getByLabel('Message', { exact: true }).fill('/')
  await page.getByRole('option').first().waitFor()
  await picture('snippets')
}

/** The page of `npm run dev` in the support-desk template: the picture of the README's second half. */
export async function takeSideBySide(folder: string): Promise<void> {
  await using template = await openTemplateDesk()
  const browser = await chromium.launch(LAUNCH)
  try {
    await using tab = await openTab(browser, { viewport: { width: 1180, height: 720 } })
    const { page } = tab
    await page.goto(template.url)
    const { phone, desk } = halvesOf(page)
    await signIn(desk, 'neema')
    await desk.getByText('Nobody is waiting.').waitFor()
    await template.emulator.customer('255712000102').says('person')
    await template.emulator.customer('255712000102').says('Do you repair bags?')
    await writeOnPhone(phone, 'person')
    await phone.getByRole('log').getByText('Somebody will answer you here').waitFor()
    await writeOnPhone(phone, 'My shoes are too small.')
    await desk.locator('.person', { hasText: 'My shoes are too small.' }).click()
    await desk.locator('.lines-of-chat[data-seen="true"]').waitFor()
    await desk.getByLabel('Message', { exact: true }).fill('Send them back, and we change them.')
    await page.keyboard.press('Enter')
    await phone.getByRole('log').getByText('Send them back, and we change them.').waitFor()
    await desk
      .locator('.bubble', { hasText: 'Send them back' })
      .getByText(/Arrived|Read/)
      .waitFor()
    await page.screenshot({ path: join(folder, 'phone-and-desk.png') })
  } finally {
    await browser.close()
  }
}
