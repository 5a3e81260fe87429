import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describeInBrowser } from '../emulator/support/browser.ts'
import { violations } from '../emulator/support/violations.ts'
import { ASHA, FEVER, handOver, JUMA, openClinic, openDeskAs, PHONE, ZUHURA } from './support/clinic.ts'
import { bubble, field, isSeen, row, until } from './support/walker.ts'

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
