import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describeInBrowser } from '../emulator/support/browser.ts'
import { violations } from '../emulator/support/violations.ts'
import { ASHA, FEVER, handOver, JUMA, openClinic, openDeskAs, PHONE, SNIPPETS, ZUHURA } from './support/clinic.ts'
import { bubble, field, isSeen, press, row, tabTo, until } from './support/walker.ts'

async function openChat(page: Page, customer: string, text = FEVER): Promise<void> {
  await row(page, customer).click()
  await bubble(page, text).waitFor()
}

async function answer(page: Page, text: string): Promise<void> {
  await isSeen(page)
  await field(page).fill(text)
  await page.keyboard.press('Enter')
  await bubble(page, text).waitFor()
}

describeInBrowser('the desk', (browser) => {
  it('is worked at by keyboard alone: find, take, answer, note, pass, snooze, dismiss, and give back', async () => {
    await using clinic = await openClinic()
    await handOver(clinic, ASHA)
    await handOver(clinic, JUMA, 'Is the doctor in?')
    await using opened = await openDeskAs(browser(), clinic, 'neema')
    const { page, complaints } = opened
    await row(page, JUMA).waitFor()
    expect(await page.title()).toBe('(2) Desk')
    expect(await page.locator('link[rel=icon]').getAttribute('href')).toMatch(/^data:image\/svg/)
    // The longest wait first.
    expect(await page.locator('.person').first().innerText()).toContain(ASHA)
    expect(await violations(page)).toEqual([])

    await tabTo(page, 'Name, number or words', 'searchbox')
    await page.keyboard.type('fever')
    await page.keyboard.press('Enter')
    await row(page, JUMA).waitFor({ state: 'detached' })
    await press(page, new RegExp(ASHA), 'link')
    await bubble(page, FEVER).waitFor()
    // The field has the focus, and it is in sight.
    await until(() => field(page).evaluate((element) => element === element.ownerDocument.activeElement))
    await press(page, 'Clear the search')

    await press(page, 'Take')
    await page.locator('.head').getByText('yours').waitFor()
    await isSeen(page)
    await tabTo(page, 'Message', 'textbox')
    await page.keyboard.type('Please come')
    await page.keyboard.press('Shift+Enter')
    await page.keyboard.type('at five.')
    await page.keyboard.press('Control+Enter')
    await bubble(page, 'at five.').waitFor()
    await page.keyboard.type('/wh')
    await page.getByRole('option', { name: /when/ }).waitFor()
    expect(await violations(page)).toEqual([])
    await page.keyboard.press('Enter')
    expect(await field(page).inputValue()).toBe(SNIPPETS[1]?.text)
    await page.keyboard.press('Enter')
    // As the app wrote it, with its buttons.
    await page.locator('.options').getByText('Afternoon').waitFor()
    await until(() => field(page).evaluate((element) => element === element.ownerDocument.activeElement))
    await until(async () => (await clinic.replies(ASHA)).length === 3)
    expect(await clinic.replies(ASHA)).toEqual([
      'Somebody will answer you here.',
      'Please come\nat five.',
      SNIPPETS[1]?.text,
    ])
    await bubble(page, 'at five.')
      .getByText(/Arrived|Read/)
      .waitFor()

    await press(page, 'Note…')
    await page.keyboard.type('Room 3.')
    expect(await violations(page)).toEqual([])
    await press(page, 'Save the note')
    await page.locator('.note', { hasText: 'Room 3.' }).waitFor()
    await press(page, 'Pass to…')
    await press(page, 'Pass')
    await page.locator('.head').getByText('baraka has this chat').waitFor()

    await row(page, ASHA).waitFor({ state: 'detached' })
    await press(page, new RegExp(JUMA), 'link')
    await bubble(page, 'Is the doctor in?').waitFor()
    await press(page, 'Later…')
    await press(page, 'In 2 hours')
    await page
      .locator('.head')
      .getByText(/later, at/)
      .waitFor()
    await page.getByText('Nobody is waiting.').waitFor()
    expect(await page.title()).toBe('Desk')
    await clinic.says(JUMA, 'Hello?')
    await row(page, JUMA).getByText('3 new').waitFor()
    await isSeen(page)
    await press(page, 'Nothing to answer')
    await page.locator('.head').getByText('nothing to answer (neema)').waitFor()
    await press(page, 'Give to the bot…')
    await press(page, 'What the customer writes from now on')
    await page.locator('.head').getByText('The bot is quiet').waitFor({ state: 'detached' })
    await clinic.says(JUMA, 'And you, bot?')
    await bubble(page, 're: And you, bot?').waitFor()
    expect(await violations(page)).toEqual([])
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await violations(page, ['color-contrast'])).toEqual([])
    expect(complaints).toEqual([])
  })

  it('shows new messages in an open chat at once, says who reads and who writes, and asks before an answer to an unseen one', async () => {
    await using clinic = await openClinic()
    await handOver(clinic, ASHA)
    await using neema = await openDeskAs(browser(), clinic, 'neema')
    await using baraka = await openDeskAs(browser(), clinic, 'baraka')
    await openChat(neema.page, ASHA)
    await openChat(baraka.page, ASHA)
    await neema.page.locator('.head').getByText('baraka is reading').waitFor()
    await baraka.page.locator('.head').getByText('neema is reading').waitFor()
    await isSeen(neema.page)
    await field(neema.page).pressSequentially('Yes, come at five.')
    await baraka.page.locator('.head').getByText('neema is writing…').waitFor()

    // Nothing that arrives now is in sight: another tab is in front.
    await hide(neema.page, true)
    await clinic.says(ASHA, 'Forget it, I am at another clinic.')
    await bubble(neema.page, 'another clinic').waitFor()
    await neema.page
      .getByRole('status')
      .getByText(/New message from .*another clinic/)
      .waitFor({ state: 'attached' })
    await field(neema.page).press('Enter')
    await neema.page.getByText('Somebody has written since.').waitFor()
    expect(await violations(neema.page)).toEqual([])
    // A second Enter does not send.
    await neema.page.keyboard.press('Enter')
    await neema.page.getByText('Somebody has written since.').waitFor({ state: 'detached' })
    expect(await field(neema.page).inputValue()).toBe('Yes, come at five.')
    await hide(neema.page, false)

    await answer(baraka.page, 'No, he is away.')
    await bubble(neema.page, 'No, he is away.').getByText('baraka').waitFor()
    await hide(neema.page, true)
    await clinic.says(ASHA, 'Really?')
    await bubble(neema.page, 'Really?').waitFor()
    await field(neema.page).press('Enter')
    await neema.page.getByRole('button', { name: 'Yes, send it' }).click()
    await bubble(baraka.page, 'Yes, come at five.').waitFor()
    expect(await field(neema.page).inputValue()).toBe('')
    await until(async () => (await clinic.replies(ASHA)).length === 3)
    expect(await clinic.replies(ASHA)).toEqual([
      'Somebody will answer you here.',
      'No, he is away.',
      'Yes, come at five.',
    ])
    expect([...neema.complaints, ...baraka.complaints].filter((text) => !text.includes('409'))).toEqual([])
  })

  it.each(['light', 'dark'] as const)('is used with one thumb on a phone (%s)', async (colorScheme) => {
    await using clinic = await openClinic()
    await handOver(clinic, ASHA)
    await using opened = await openDeskAs(browser(), clinic, 'neema', { ...PHONE, colorScheme })
    const { page, complaints } = opened
    const expectFits = async () => {
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
      expect(await violations(page)).toEqual([])
    }
    await row(page, ASHA).waitFor()
    await expectFits()
    await row(page, ASHA).tap()
    await bubble(page, FEVER).waitFor()
    await expectFits()
    for (const text of Array.from({ length: 12 }, (_, nth) => `and message ${nth}.`)) await clinic.says(ASHA, text)
    await bubble(page, 'and message 11.').waitFor()
    const box = await field(page).boundingBox()
    expect((box?.y ?? 999) + (box?.height ?? 0)).toBeLessThanOrEqual(844)
    // The newest message is in sight too.
    await until(async () => {
      const last = await bubble(page, 'and message 11.').boundingBox()
      return last && box && last.y + last.height <= box.y
    })
    await answer(page, 'Please come.')
    await page.getByRole('button', { name: 'More' }).tap()
    await page.getByRole('button', { name: 'Note…' }).tap()
    await page.getByRole('dialog').getByLabel('Note').fill('Room 3.')
    await expectFits()
    await page.getByRole('button', { name: 'Save the note' }).tap()
    await page.locator('.note').waitFor()
    await page.getByRole('link', { name: 'Back to the list' }).tap()
    await page.getByText('Nobody is waiting.').waitFor()
    const smallest = await page.evaluate<number>(
      `Math.min(...[...document.querySelectorAll('button, a, select, summary')].filter((one) => one.offsetParent).map((one) => one.offsetHeight))`,
    )
    expect(smallest).toBeGreaterThanOrEqual(40)
    expect(complaints).toEqual([])
  })

  it('closes the window by the clock of the service, and offers templates with a preview, whatever the clock of the computer', async () => {
    await using clinic = await openClinic()
    await clinic.emulator.templates.add({
      name: 'result',
      language: 'en',
      components: [{ type: 'BODY', text: 'Hello {{1}}, your result of {{2}} is ready.' }],
    })
    await handOver(clinic, ASHA)
    await using opened = await openDeskAs(browser(), clinic, 'neema')
    const { page, complaints } = opened
    await openChat(page, ASHA)
    await page.getByText(/You can write freely until/).waitFor()
    await page.clock.setSystemTime(Date.now() + 30 * 3_600_000)
    await page.getByText(/You can write freely until/).waitFor()
    await clinic.emulator.clock.advance('25h')
    // The bot learns the time of the service from its next delivery.
    await clinic.says(JUMA, 'hello')
    await clinic.bot().to(ASHA).handOver({ for: '1h' })
    await page.getByText('Only an approved text (a template) arrives now.').waitFor()
    await page.getByLabel('Template').selectOption('result (en)')
    await page.getByLabel('Blank 1').fill('Asha')
    await page.getByText('Hello Asha, your result of __2__ is ready.').waitFor()
    expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true)
    await page.getByLabel('Blank 2').fill('Monday')
    expect(await violations(page)).toEqual([])
    await page.keyboard.press('Enter')
    await page.locator('.bubble.from-person', { hasText: 'Monday' }).waitFor()
    expect(complaints).toEqual([])
  })

  it('is silent until a person asks for a sound and notifications, and is up to date without a stream', async () => {
    await using clinic = await openClinic()
    await handOver(clinic, ASHA)
    await using opened = await openDeskAs(browser(), clinic, 'neema', { at: '#/recent' })
    const { page } = opened
    // A proxy that lets no stream through.
    await page.route('**/api/stream', (route) => route.abort())
    await page.addInitScript(`
      globalThis.signals = []
      globalThis.Notification = class extends EventTarget {
        static requestPermission = async () => 'granted'
        constructor(text) { super(); signals.push(text) }
      }
      const Real = AudioContext
      globalThis.AudioContext = class extends Real { constructor() { super(); signals.push('a sound') } }`)
    await page.reload()
    await row(page, ASHA).waitFor()
    await clinic.says(ASHA, 'Are you there?')
    await row(page, ASHA).getByText('Are you there?').waitFor()

    await page.unroute('**/api/stream')
    await page.reload()
    await row(page, ASHA).waitFor()
    await hide(page, true)
    await clinic.says(ASHA, 'Hello?')
    await page
      .getByRole('status')
      .getByText(/New message from /)
      .waitFor({ state: 'attached' })
    expect(await page.evaluate('signals')).toEqual([])
    await page.getByText('Settings').click()
    await page.getByLabel('Sound for new messages').check()
    await page.getByLabel('Notifications of this browser').check()
    expect(await violations(page)).toEqual([])
    await clinic.says(ASHA, 'A secret')
    await until(async () => (await page.evaluate('signals.length')) === 2)
    // The name, and no words.
    expect(await page.evaluate('signals')).toEqual(['a sound', 'New message from Customer 543'])
    await page.reload()
    await page.getByText('Settings').click()
    expect(await page.getByLabel('Sound for new messages').isChecked()).toBe(true)
  })

  it('shares one stream between the tabs of a browser, and another tab has it when the first closes', async () => {
    await using clinic = await openClinic()
    await handOver(clinic, ASHA)
    await using opened = await openDeskAs(browser(), clinic, 'neema')
    const streams: Page[] = []
    const context = opened.page.context()
    context.on('request', (request) => {
      if (request.url().endsWith('/stream')) streams.push(request.frame().page())
    })
    await row(opened.page, ASHA).waitFor()
    const first = await context.newPage()
    const second = await context.newPage()
    await opened.page.close()
    streams.length = 0
    for (const page of [first, second]) await page.goto(`${clinic.url}/desk/`)
    await first.locator('.person', { hasText: ASHA }).waitFor()
    await until(() => streams.length >= 1)
    await clinic.says(JUMA, 'person')
    for (const page of [first, second]) await row(page, JUMA).waitFor()
    expect(streams).toHaveLength(1)
    const left = streams[0] === first ? second : first
    await streams[0]?.close()
    await until(() => streams[1] === left)
    await clinic.says(ZUHURA, 'person')
    await row(left, ZUHURA).waitFor()
    await context.close()
  })

  it('keeps a draft over a reload, sends it once, and shows nothing and keeps no draft after the session has ended', async () => {
    await using clinic = await openClinic()
    await handOver(clinic, ASHA)
    await using opened = await openDeskAs(browser(), clinic, 'neema')
    const { page } = opened
    await openChat(page, ASHA)
    await isSeen(page)
    await field(page).fill('Come at five.')
    // The bot stores the message, and its answer is lost.
    await page.route('**/api/act', async (route) => {
      await route.fetch()
      await route.abort()
    })
    await page.keyboard.press('Enter')
    await page.getByText('Your text is kept').waitFor()
    await page.unroute('**/api/act')
    await page.reload()
    await bubble(page, 'Come at five.').waitFor()
    expect(await field(page).inputValue()).toBe('Come at five.')
    await field(page).press('Enter')
    await page.getByText('It was sent before.').waitFor()
    expect((await clinic.replies(ASHA)).filter((text) => text === 'Come at five.')).toHaveLength(1)

    await field(page).fill('Another one')
    delete clinic.staff['neema']
    await clinic.says(ASHA, 'Hello?')
    await page.evaluate(`location.hash = '#/mine'`)
    await page.getByText('You are signed out.').waitFor()
    const shown = await page.content()
    for (const secret of [ASHA, FEVER, 'Another one']) expect(shown).not.toContain(secret)
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain('Another one')
    expect(page.url()).not.toContain(ASHA)
  })

  it('shows to each person only what they may use, and words and numbers only to those who may read', async () => {
    await using clinic = await openClinic()
    await handOver(clinic, ASHA)
    await using guest = await openDeskAs(browser(), clinic, 'guest')
    await guest.page.locator('.person').click()
    await guest.page.locator('.bubble').first().waitFor()
    expect(await guest.page.content()).not.toContain(ASHA)
    expect(await guest.page.content()).not.toContain('fever')
    expect(await guest.page.getByRole('searchbox').count()).toBe(0)
    await using reader = await openDeskAs(browser(), clinic, 'reader')
    await openChat(reader.page, ASHA)
    for (const { page } of [guest, reader]) {
      expect(await page.getByRole('textbox').count()).toBe(0)
      const buttons = await page.locator('.chat').getByRole('button').allInnerTexts()
      expect(buttons).toEqual([])
      expect(await violations(page)).toEqual([])
    }
  })

  it('speaks the language of the desk from right to left, takes a file, sends a failed message again, and can be installed', async () => {
    const stored: string[] = []
    await using clinic = await openClinic({
      language: 'ar',
      texts: { take: 'استلم' },
      store: ({ name }) => {
        stored.push(name)
        return `https://files.clinic.test/${name}`
      },
    })
    await handOver(clinic, ASHA, '<img src=x onerror=alert(1)>')
    await using opened = await openDeskAs(browser(), clinic, 'neema', PHONE)
    const { page, complaints } = opened
    await row(page, ASHA).tap()
    await bubble(page, '<img src=x').waitFor()
    await page.getByRole('button', { name: 'استلم' }).tap()
    expect(await page.evaluate('[document.documentElement.dir, document.documentElement.lang].join()')).toBe('rtl,ar')
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
    expect(await violations(page)).toEqual([])
    await isSeen(page)
    await clinic.emulator.faults.set([{ on: 'send', do: 'status', status: 422, code: 'validation_error', next: 1 }])
    await page.getByRole('button', { name: 'إضافة ملف' }).tap()
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'plan.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF') })
    await page.getByRole('button', { name: 'إرسال' }).tap()
    await page.getByRole('link', { name: /plan\.pdf/ }).waitFor()
    await page.getByRole('button', { name: 'إزالة' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'أرسل مجددًا' }).tap()
    await until(async () => (await page.getByRole('link', { name: /plan\.pdf/ }).count()) === 2)
    expect(stored).toEqual(['plan.pdf'])
    const manifest = await page.evaluate(
      `fetch(document.querySelector('link[rel=manifest]').href).then((answer) => answer.json())`,
    )
    expect(manifest).toMatchObject({ display: 'standalone', start_url: '../', lang: 'ar' })
    // The browser's own line about the refused message.
    expect(complaints.filter((text) => !text.includes('409'))).toEqual([])
  })
})

/** As if another tab were in front of this one. */
async function hide(page: Page, hidden: boolean): Promise<void> {
  await page.evaluate(`
    Object.defineProperty(document, 'hidden', { configurable: true, value: ${hidden} })
    document.dispatchEvent(new Event('visibilitychange'))`)
}
