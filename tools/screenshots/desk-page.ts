/** Takes the pictures of the desk: a chat and ten tasks for the docs, or `all`, wide and narrow, in light and in dark. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromium, type Browser, type Page } from 'playwright-core'
import { LAUNCH } from '../../test/pages/emulator/support/browser.ts'
import { halvesOf, openTemplateDesk, signIn, writeOnPhone } from '../../test/pages/desk/support/template-desk.ts'
import { openTab } from '../../test/pages/emulator/support/tab.ts'
import { ASHA, type Clinic, JUMA, openClinic, openDeskAs, ZUHURA } from '../../test/pages/desk/support/clinic.ts'

const SIZES = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
] as const
/** A page of docs shows a picture about 700 pixels wide: its words must still be read there. */
const DOCS = { width: 1080, height: 680 } as const

interface Look {
  readonly viewport: { readonly width: number; readonly height: number }
  readonly colorScheme: 'light' | 'dark'
  /** The end of the picture's file name. */
  readonly suffix: string
}

export async function takeDeskPictures(folder: string, { all }: { all: boolean }): Promise<void> {
  const looks: Look[] = [{ viewport: DOCS, colorScheme: 'light', suffix: '' }]
  const wide: Look[] = SIZES.flatMap((viewport) =>
    (['light', 'dark'] as const).map((colorScheme) => ({
      viewport,
      colorScheme,
      suffix: `-${viewport.width}-${colorScheme}`,
    })),
  )
  const browser = await chromium.launch(LAUNCH)
  try {
    // The acts change what is there, so each look has its own morning.
    for (const look of all ? wide : looks) await takeTasks(browser, folder, look)
    const chats = all ? wide : wide.slice(0, 1)
    for (const look of chats) await takeChat(browser, folder, look)
  } finally {
    await browser.close()
  }
}

async function takeChat(browser: Browser, folder: string, { suffix, ...options }: Look): Promise<void> {
  await using clinic = await openMorning()
  await using opened = await openDeskAs(browser, clinic, 'neema', options)
  const { page } = opened
  await page.locator('.person', { hasText: ASHA }).click()
  await page.getByText('Bring her vaccination card.').waitFor()
  await page.screenshot({ path: join(folder, `desk-chat${suffix}.png`) })
}

/** Find, take, answer, pass, note, dismiss, snooze, template, send again, give back. */
async function takeTasks(browser: Browser, folder: string, { suffix, ...options }: Look): Promise<void> {
  await using clinic = await openMorning()
  await using opened = await openDeskAs(browser, clinic, 'neema', options)
  const { page } = opened
  let nth = 0
  const picture = async (task: string) => {
    nth++
    // After two frames everything is rendered.
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))')
    const name = `desk-${String(nth).padStart(2, '0')}-${task}${suffix}.png`
    await page.screenshot({ path: join(folder, name) })
  }
  const act = (name: string) => pressAct(page, name)
  const open = (customer: string, text: string) => openChat(page, customer, text)

  await page.getByRole('searchbox').fill('Saturday')
  await page.keyboard.press('Enter')
  await page.getByRole('list', { name: 'Found' }).locator('.person').first().waitFor()
  await picture('find')
  await open(ZUHURA, 'Saturday')
  await picture('take')
  await act('Take')
  await page.locator('.head').getByText('yours').waitFor()
  await quiet(page)
  await seen(page)
  await page.getByLabel('Message', { exact: true }).fill('Yes, Dr. Mushi is here on Saturday from 9 to 13.')
  await picture('answer')
  await page.keyboard.press('Enter')
  await page.locator('.bubble.from-person').waitFor()
  await act('Pass to…')
  await page.getByLabel('Note for them').fill('She wants to come on Saturday.')
  await picture('pass')
  await page.getByRole('button', { name: 'Pass', exact: true }).click()
  await quiet(page)

  await open(JUMA, 'appointment card')
  await act('Note…')
  await page.getByRole('dialog').getByRole('textbox').fill('A new card is at the desk.')
  await picture('note')
  await page.getByRole('button', { name: 'Save the note' }).click()
  await quiet(page)
  await seen(page)
  if (await isNarrow(page)) await page.getByRole('button', { name: 'More' }).click()
  await picture('nothing-to-answer')
  if (await isNarrow(page)) await page.getByRole('button', { name: 'More' }).click()
  await act('Later…')
  await picture('later')
  await page.getByRole('button', { name: 'Cancel' }).click()

  await page.getByRole('button', { name: 'Use a template' }).click()
  await page.getByLabel('Template').selectOption('appointment (en)')
  await page.getByLabel('Blank 1').fill('Juma')
  await page.getByLabel('Blank 2').fill('Monday at 10:00')
  await page.getByRole('button', { name: 'Send' }).scrollIntoViewIfNeeded()
  await picture('template')
  await page.getByRole('button', { name: 'Write freely' }).click()

  await clinic.emulator.faults.set([{ on: 'send', do: 'status', status: 422, code: 'validation_error', next: 1 }])
  await page.getByLabel('Message', { exact: true }).fill('Your new card is ready.')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Send again' }).waitFor()
  await page.getByRole('button', { name: 'Close' }).click()
  await picture('send-again')
  await act('Give to the bot…')
  await picture('give-back')
}

async function isNarrow(page: Page): Promise<boolean> {
  return (page.viewportSize()?.width ?? 0) < 900
}

async function pressAct(page: Page, name: string): Promise<void> {
  if ((await isNarrow(page)) && name !== 'Take') await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('button', { name, exact: true }).click()
}

async function openChat(page: Page, customer: string, text: string): Promise<void> {
  const back = page.getByRole('link', { name: 'Back to the list' })
  if (await back.isVisible()) await back.click()
  const clear = page.getByRole('button', { name: 'Clear the search' })
  if ((await clear.isVisible()) && (await page.locator('.person', { hasText: customer }).count()) === 0)
    await clear.click()
  await page.locator('.person', { hasText: customer }).first().click()
  await page.locator('.bubble', { hasText: text }).waitFor()
}

const seen = (page: Page) => page.locator('.lines-of-chat[data-seen="true"]').waitFor()

/** The confirmation of the act before has gone. */
const quiet = (page: Page) => page.locator('.toast:empty').waitFor({ state: 'attached' })

async function openMorning(): Promise<Clinic> {
  const clinic = await openClinic({ name: 'Mwanga Clinic' })
  await talk(clinic)
  return clinic
}

/** A morning of a clinic: three wait, and one has an answer and a note. */
async function talk(clinic: Clinic): Promise<void> {
  await clinic.emulator.templates.add({
    name: 'appointment',
    language: 'en',
    components: [{ type: 'BODY', text: 'Dear {{1}}, your appointment is on {{2}}.' }],
  })
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
      const { seen: newest } = await post<{ seen: unknown }>('visit', { customer })
      await post('act', { act: 'write', customer, key: 'an-answer', seen: newest, text })
    },
  }
}

const ICONS = join(import.meta.dirname, '../../src/pages/desk/public')

/** The icon of a home screen that takes no SVG. The phone rounds its corners itself. */
export async function takeIcon(): Promise<void> {
  const svg = readFileSync(join(ICONS, 'icon.svg'), 'utf8').replace(' rx="8"', '').replace('<svg', '<svg width="192"')
  const browser = await chromium.launch(LAUNCH)
  try {
    const page = await browser.newPage({ viewport: { width: 192, height: 192 } })
    await page.setContent(`<style>body { margin: 0 } svg { display: block }</style>${svg}`)
    await page.screenshot({ path: join(ICONS, 'icon.png') })
  } finally {
    await browser.close()
  }
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
