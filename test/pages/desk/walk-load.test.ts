import { signDelivery } from 'switchhook'
import Database from 'better-sqlite3'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { seededRandom } from '../../../src/emulator/model/ids.ts'
import { PAGE_POLICY } from '../../../src/base/built-page.ts'
import { describeInBrowser } from '../emulator/support/browser.ts'
import { ASHA, type Clinic, JUMA, openClinic, openDeskAs } from './support/clinic.ts'
import { openProxy } from './support/slow-proxy.ts'
import { field, isSeen, row, until, writeEver } from './support/walker.ts'

/** `MESSAGES=200 SEED=random` plays more of them, in another order. */
const MESSAGES = Number(process.env['MESSAGES'] ?? 40)
/** Of a message, on a busy machine. */
const LONGEST_MS = 3_000
const asked = process.env['SEED']
const SEED = asked === 'random' ? Date.now() % 1_000_000 : Number(asked ?? 7)

const words = (page: Page) => page.locator('.bubble .words').allInnerTexts()

async function openChat(page: Page, customer: string): Promise<void> {
  await row(page, customer).click()
  await page.locator('.bubble').first().waitFor()
}

interface Sent {
  readonly text: string
  readonly writer: string
  readonly seen: { readonly message: number; readonly send: number }
  readonly confirmed?: boolean
}

describeInBrowser('the desk under load', (browser) => {
  it(
    `shows ${MESSAGES} messages of a customer and two people once each in both browsers, beside a restart, and asks before each answer over an unseen one (seed ${SEED})`,
    async () => {
      await using clinic = await openClinic()
      await clinic.says(ASHA, 'person')
      await using neema = await openDeskAs(browser(), clinic, 'neema')
      await using baraka = await openDeskAs(browser(), clinic, 'baraka')
      const desks = [
        { writer: 'neema', page: neema.page },
        { writer: 'baraka', page: baraka.page },
      ]
      const sent: Sent[] = []
      let questions = 0
      for (const { page, writer } of desks) {
        await openChat(page, ASHA)
        page.on('response', (answer) => {
          if (!answer.url().endsWith('/api/act')) return
          if (answer.status() === 409) questions++
          if (answer.status() === 200)
            sent.push({ writer, ...(answer.request().postDataJSON() as Omit<Sent, 'writer'>) })
        })
      }
      const chance = seededRandom(SEED)
      const texts = Array.from({ length: MESSAGES }, (_, nth) => `message ${nth}.`)
      const byPeople: string[] = []
      for (const [nth, text] of texts.entries()) {
        if (nth === MESSAGES / 2) await clinic.restart()
        const desk = desks[Math.floor(chance() * 3)]
        if (!desk) await clinic.says(ASHA, text)
        else {
          byPeople.push(text)
          await writeEver(desk.page, text)
        }
        // Sometimes a person has seen everything that is there.
        if (chance() < 0.1) await isSeen(neema.page)
      }
      for (const { page } of desks)
        await until(async () => {
          const shown = (await words(page)).filter((text) => texts.includes(text))
          // Older lines than a page keeps are read on request.
          const older = page.getByRole('button', { name: 'Show older messages' })
          if (shown.length < texts.length && (await older.isVisible())) await older.click()
          return same(shown, texts)
        })
      const replies = (await clinic.replies(ASHA)).map(String).filter((text) => text.startsWith('message'))
      expect(replies.toSorted()).toEqual(byPeople.toSorted())

      expect(questions).toBeGreaterThan(5)
      const unasked = sent.filter(({ confirmed }) => !confirmed)
      expect(unasked.length).toBeGreaterThan(5)
      const rows = readRows(clinic)
      for (const { text, writer, seen } of unasked) {
        const own = rows.sends.find(({ body }) => body.includes(JSON.stringify(text)))
        if (!own) throw new Error(`${text} was not recorded`)
        const overMessages = rows.messages.filter(({ id, at }) => id > seen.message && at < own.created_at)
        const overColleagues = rows.sends.filter(
          (one) => one.seq > seen.send && one.seq < own.seq && one.writer !== null && one.writer !== writer,
        )
        expect({ text, overMessages, overColleagues }).toEqual({ text, overMessages: [], overColleagues: [] })
      }
    },
    MESSAGES * LONGEST_MS,
  )

  it('is up to date behind a proxy that keeps streams back, and after a sleep in which its stream died without a word', async () => {
    await using clinic = await openClinic()
    await using proxy = await openProxy(clinic.url)
    await clinic.says(ASHA, 'person')
    await using opened = await openDeskAs(browser(), proxy, 'neema')
    const { page } = opened
    await openChat(page, ASHA)
    await until(() => proxy.streams() === 1)
    proxy.keep(true)
    // The computer sleeps: the clock of the day has moved, and that of the page has not.
    await page.evaluate(`{ const now = Date.now; Date.now = () => now() + 3_600_000 }`)
    await clinic.says(ASHA, 'Are you there?')
    await until(async () => (await words(page)).includes('Are you there?'))
    await clinic.says(JUMA, 'person')
    await row(page, JUMA).waitFor()
    // It tries again, and leaves no stream behind.
    expect(proxy.streams()).toBeLessThanOrEqual(1)
    proxy.keep(false)
    await clinic.says(ASHA, 'Hello?')
    await until(async () => (await words(page)).includes('Hello?'))
  })

  it('runs nothing that stands in a name, a message, a note, a ready answer or the name of a file', async () => {
    const attack = (nth: number) =>
      `<img src=x onerror="globalThis.harmed=${nth}"><script>globalThis.harmed=${nth}</script>"'\`}</p>{{${nth}}}`
    await using clinic = await openClinic({
      snippets: [{ name: attack(1), text: attack(2) }],
      colleagues: () => ['neema', attack(3)],
      texts: { take: attack(4) },
      store: ({ name }) => `https://files.clinic.test/${encodeURIComponent(name)}`,
    })
    clinic.staff['mallory'] = { name: attack(5), write: true, reveal: true }
    await clinic.says(ASHA, 'person')
    await post(clinic, { from: ASHA, name: attack(6), content: attack(7) })
    for (const url of ['javascript:globalThis.harmed=8', `https://files.test/${attack(8)}`])
      await post(clinic, {
        from: ASHA,
        message_type: 'document',
        media_url: url,
        media_mime_type: 'application/pdf',
        media_filename: attack(9),
        media_caption: attack(10),
      })
    await using mallory = await openDeskAs(browser(), clinic, 'mallory')
    await using neema = await openDeskAs(browser(), clinic, 'neema')
    for (const { page } of [neema, mallory]) {
      const policies: (string | null)[] = []
      page.on('response', async (answer) => policies.push(await answer.headerValue('content-security-policy')))
      await page.reload()
      await page.locator('.person').first().click()
      await page.locator('.bubble', { hasText: 'globalThis.harmed=10' }).first().waitFor()
      await until(() => policies.length > 4)
      expect(new Set(policies)).toEqual(new Set([PAGE_POLICY]))
    }
    const { page } = mallory
    await page.getByRole('button', { name: 'Note…' }).click()
    await page.getByRole('dialog').getByLabel('Note').fill(attack(11))
    await page.getByRole('button', { name: 'Save the note' }).click()
    await page.locator('.note').waitFor()
    await field(page).fill('/img')
    await page.getByRole('option').first().waitFor()
    await page.getByRole('option').first().click()
    await field(page).press('Enter')
    await page.locator('.bubble.from-person', { hasText: 'globalThis.harmed=2' }).waitFor()
    await page.getByRole('button', { name: 'Add a file' }).click()
    await page.locator('input[type=file]').setInputFiles({
      name: `${attack(12).replaceAll('/', '_')}.pdf`,
      mimeType: 'application/pdf',
      buffer: Buffer.from('%PDF'),
    })
    await page.getByText('globalThis.harmed=12').first().waitFor()
    await page.getByRole('searchbox').fill(attack(13))
    await page.getByRole('searchbox').press('Enter')
    // A colleague sees the name of the writer, and their note.
    await neema.page.locator('.note', { hasText: 'globalThis.harmed=11' }).waitFor()
    await neema.page.locator('.bubble.from-person', { hasText: 'globalThis.harmed=5' }).waitFor()
    for (const one of [neema, mallory]) {
      expect(await one.page.evaluate('globalThis.harmed')).toBe(undefined)
      expect(await one.page.locator('img, iframe, object, embed, [onerror], body script, main script').count()).toBe(0)
      const addresses = await one.page.evaluate<string[]>(
        "[...document.querySelectorAll('a[href]')].map(({ href }) => href)",
      )
      expect(addresses.filter((href) => !/^https?:/.test(href))).toEqual([])
      // A refused script would be a complaint about the policy.
      expect(one.complaints.filter((text) => !text.includes('409'))).toEqual([])
    }
  })
})

function same(one: readonly string[], other: readonly string[]): boolean {
  return JSON.stringify(one.toSorted()) === JSON.stringify(other.toSorted())
}

function readRows({ database }: Clinic) {
  const raw = new Database(database, { readonly: true })
  const all = <Row>(sql: string) => raw.prepare<[], Row>(sql).all()
  const rows = {
    messages: all<{ id: number; at: number }>(`
      SELECT i.id, d.received_at AS at FROM inbox i JOIN inbox d ON d.id = coalesce(i.delivery, i.id)
      WHERE i.kind = 'message' AND i.customer = '${ASHA}'`),
    sends: all<{ seq: number; body: string; writer: string | null; created_at: number }>(`
      SELECT seq, writer, created_at, body FROM sends`),
  }
  raw.close()
  return rows
}

/** A message as the service may post it, with a profile’s name. */
async function post({ url, emulator }: Clinic, { name = 'Asha', ...data }: Record<string, string>) {
  const id = String(Math.random()).slice(2)
  const received = { id, direction: 'INBOUND', message_type: 'text', created_at: new Date().toISOString() }
  const body = JSON.stringify({ id, event: 'message.received', data: { ...received, contact: { name }, ...data } })
  const signed = { body, secret: emulator.signingSecret, at: new Date(), event: 'message.received', deliveryId: id }
  const headers = { 'content-type': 'application/json', ...signDelivery(signed) }
  const { status } = await fetch(`${url}/webhooks`, { method: 'POST', headers, body })
  expect(status).toBe(200)
}
