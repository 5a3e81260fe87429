import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { createEmulator } from '../../../src/emulator/emulator.ts'
import { buttons, list, template } from '../../../src/bot/switchhook.ts'
import { send } from '../../emulator/support/api.ts'
import { ASHA, openWorld } from '../../support/world.ts'
import { clipboard, describeInBrowser, openPage, thread, write } from './support/browser.ts'
import { violations } from './support/violations.ts'

type BotOf = Parameters<Parameters<typeof openWorld>[0]>[0]

const shop = (bot: BotOf) => {
  bot.hears('hours', (ctx) => ctx.reply('9 to 17'))
  bot.hears('menu', (ctx) =>
    ctx.reply(list('What for?', { Orders: [{ id: 'track', title: 'Track', description: 'Where is it?' }] })),
  )
  bot.hears('evil', (ctx) => ctx.reply('<img src=x onerror="document.title=1"><b>bold</b>'))
  bot.received('audio', (ctx) => ctx.reply('I heard you'))
  bot.tapped('track', (ctx) => ctx.reply('On its way'))
  bot.otherwise((ctx) => ctx.reply(buttons('How can we help?', [{ id: 'track', title: 'Track order' }])))
}

const rows = (page: Page) => page.getByRole('list', { name: 'What happened' }).getByRole('button')
const details = (page: Page) => page.getByRole('region', { name: 'Details' })

/** Opens a section of the controls. */
const open = (page: Page, name: string) =>
  page.locator('summary', { has: page.getByRole('heading', { name, exact: true }) }).click()

/** Unfolds a form for something new. */
const unfold = (page: Page, title: string) => page.locator('summary', { hasText: title }).click()

/** Finds elements wider than their box, unless the box cuts them with an ellipsis. */
const CUT_OFF = `[...document.querySelectorAll('.bubble, .bubble *, .search-head, .search-head *, .empty')]
  .filter((it) => it.clientWidth > 0 && it.scrollWidth > it.clientWidth + 1)
  .filter((it) => getComputedStyle(it).textOverflow !== 'ellipsis' && !it.closest('input, .visually-hidden'))
  .map((it) => it.className + ' ' + it.tagName)`

describeInBrowser("the emulator's page", (browser) => {
  it('plays a location, a reaction, an edit and all else that nobody writes, and shows each by its name', async () => {
    const heard: string[] = []
    await using world = await openWorld((bot) => {
      for (const kind of ['reaction', 'edited', 'deleted', 'sticker', 'call', 'system', 'unknown', 'location'] as const)
        bot.received(kind, (ctx) => void heard.push(ctx.message.kind))
      bot.otherwise((ctx) => ctx.reply('How can we help?'))
    })
    await using opened = await openPage(browser(), world)
    const { page, complaints } = opened
    await write(page, 'size 42')
    await thread(page).getByText('How can we help?').waitFor()
    await unfold(page, 'Send a location')
    const place = page.locator('details', { hasText: 'Send a location' })
    await place.getByLabel('latitude').fill('-6.8')
    await place.getByLabel('longitude').fill('39.28')
    await place.getByRole('button', { name: 'Send a location' }).click()
    await thread(page).getByText('-6.8, 39.28').waitFor()
    await unfold(page, 'React, edit, delete')
    const form = page.locator('details', { hasText: 'React, edit, delete' })
    const play = async (kind: string, more: Readonly<Record<string, string>>, shown: string) => {
      await form.getByLabel('kind').selectOption(kind)
      for (const [name, value] of Object.entries(more)) await form.getByLabel(name).fill(value)
      await form.getByRole('button', { name: 'React, edit, delete' }).click()
      await thread(page).getByText(shown, { exact: true }).waitFor()
    }
    await play('reaction', { emoji: '👍' }, 'Reacted')
    await play('sticker', {}, 'Sticker')
    await play('call', {}, 'Call')
    await play('system', {}, 'Note of the system')
    await play('unknown', {}, 'Unsupported')
    await play('edited', { text: 'size 43' }, 'size 43')
    await play('deleted', {}, 'Deleted')
    expect(await thread(page).getByText('How can we help?').count()).toBe(1)
    await expect.poll(() => heard.length).toBe(8)
    expect(await page.evaluate(CUT_OFF)).toEqual([])
    expect(complaints).toEqual([])
  })

  it('holds a conversation with only the keyboard, with every message as text', async () => {
    await using world = await openWorld(shop)
    await using opened = await openPage(browser(), world)
    const { page, complaints } = opened
    const title = await page.title()
    await page.keyboard.press('t')
    await page.keyboard.type('hi')
    await page.keyboard.press('Enter')
    await thread(page).getByText('How can we help?').waitFor()
    // Backwards from the field through the options in the thread.
    const focused = page.locator(':focus')
    for (let n = 0; n < 12 && (await focused.innerText()) !== 'Track order'; n++) await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Enter')
    await thread(page).getByText('Tapped “Track order”').waitFor()
    await thread(page).getByText('On its way').waitFor()
    await write(page, 'menu')
    const offered = thread(page).locator('details')
    await offered.getByText('View').click()
    await offered.getByRole('button', { name: /^Track/ }).click()
    await thread(page).getByText('Tapped “Track”').waitFor()
    await write(page, 'evil')
    await page.getByRole('article').filter({ hasText: '<b>bold</b>' }).waitFor()
    expect(await thread(page).locator('img, b:text("bold")').count()).toBe(0)
    expect(await page.title()).toBe(title)
    expect(complaints).toEqual([])
  })

  it('shows ticks as they arrive, a picture of the emulator, and other media as their address', async () => {
    await using world = await openWorld(shop)
    const customer = world.emulator.customer(ASHA)
    await using opened = await openPage(browser(), world)
    const { page, complaints } = opened
    await customer.setHandset({ online: false })
    await write(page, 'hours')
    const answer = page.getByRole('article').filter({ hasText: '9 to 17' })
    const status = () => answer.getByLabel('Status').inputValue()
    await expect.poll(status).toBe('sent')
    await customer.setHandset({ online: true })
    await expect.poll(status).toBe('delivered')
    await answer.getByLabel('Status').selectOption('read')
    await expect.poll(status).toBe('read')
    await unfold(page, 'Send media')
    await page.locator('details', { hasText: 'Send media' }).getByLabel('Kind').selectOption('audio')
    await page.getByLabel('URL', { exact: true }).fill('https://media.example.com/voice.ogg')
    await page.getByRole('button', { name: 'Send media' }).click()
    await thread(page).getByText('I heard you').waitFor()
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    )
    await page.locator('input[type=file]').setInputFiles({ name: 'my photo.png', mimeType: 'image/png', buffer: png })
    await thread(page).getByRole('img', { name: 'Picture my photo.png' }).waitFor()
    const elsewhere = ['https://media.example.com/a.jpg', `${world.emulator.url}/media/../assets/1.png`]
    for (const url of elsewhere) await customer.sendsMedia({ kind: 'image', url })
    for (const url of elsewhere) await thread(page).getByText(url).waitFor()
    const pictures = thread(page).getByRole('img', { name: /^Picture / })
    await expect
      .poll(() => pictures.evaluateAll((all) => all.map((one) => one.getAttribute('alt'))))
      .toEqual(['Picture my photo.png'])
    expect(complaints).toEqual([])
  })

  it('shows a refused send beside the template that arrived, and a one-time code only on the handset [GEN-04] [OTP-06]', async () => {
    await using world = await openWorld(shop)
    await world.emulator.templates.add({ name: 'order_ready', language: 'en', body: 'Order {{1}} is ready' })
    await world.emulator.templates.add({ name: 'login_code', language: 'en', category: 'AUTHENTICATION' })
    await using opened = await openPage(browser(), world)
    const { page, complaints } = opened
    await write(page, 'hours')
    await thread(page).getByText('9 to 17').waitFor()
    await page.getByLabel('Message', { exact: true }).blur()
    await page.getByRole('button', { name: '+24 h' }).click()
    await page.getByRole('button', { name: '+1 h' }).click()
    await page.getByRole('button', { name: 'Window closed' }).waitFor()
    await world.bot
      .to(ASHA)
      .send('It is ready', { key: 'order-17', outsideWindow: template('order_ready', 'en', { body: ['17'] }) })
    await thread(page).getByText('Order 17 is ready').waitFor()
    // The app's clock follows the emulator's, so the free-form message must be sent past the app.
    await send(world.emulator, { to: ASHA, text: 'Come and fetch it' })
    const refused = page.getByRole('article').filter({ hasText: 'Come and fetch it' })
    await refused.getByText('outside_messaging_window').waitFor()
    await refused.getByText('A retry does not help.').waitFor()
    const code = { type: 'body', parameters: [{ type: 'text', text: '482913' }] }
    const login = { template_name: 'login_code', template_language: 'en', template_components: [code] }
    await send(world.emulator, { to: ASHA, type: 'template', ...login })
    await page.getByRole('button', { name: 'Copy code' }).click()
    await page.getByText('The code was copied.').waitFor()
    expect(await clipboard(page)).toBe('482913')
    await thread(page).getByText('Verification code sent').waitFor()
    expect(complaints).toEqual([])
  })

  it('moves the clock, arms a fault until it is used up, saves settings at once, explains a refused one, and shows a new secret once [GEN-06] [SEND-20] [DEL-08]', async () => {
    await using world = await openWorld(shop)
    await using opened = await openPage(browser(), world)
    const { page, complaints } = opened
    await page.getByLabel('Customer', { exact: true }).fill('255712000109')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Phone of 255712000109' }).waitFor()
    await write(page, 'hours')
    await thread(page).getByText('9 to 17').waitFor()
    await page.getByRole('button', { name: '+24 h' }).click()
    await page.getByRole('button', { name: 'Window closed' }).waitFor()
    await open(page, 'Faults')
    const late = page.locator('.fold[open]').getByRole('button', { name: /^Late (?!answer)/ })
    await late.click()
    await page.getByText('delivery: the next 1').waitFor()
    await world.emulator.customer(ASHA).says('hours')
    await page.getByText('delivery: the next 1').waitFor({ state: 'detached' })
    await unfold(page, 'Arm another fault')
    await page.getByRole('combobox', { name: 'On', exact: true }).selectOption('send')
    await page.getByRole('combobox', { name: 'Do', exact: true }).selectOption('late_answer')
    await page.getByLabel('Every', { exact: true }).fill('3')
    await page.getByRole('button', { name: 'Arm another fault' }).click()
    await page.getByRole('button', { name: '1 fault armed' }).waitFor()
    expect(await world.control('GET', 'faults')).toMatchObject({ rules: [{ do: 'late_answer', every: 3 }] })
    await page.getByRole('button', { name: 'Disarm' }).click()
    await page.getByRole('button', { name: '1 fault armed' }).waitFor({ state: 'detached' })
    await open(page, 'AI agent')
    await page.getByRole('checkbox', { name: 'On' }).click()
    await expect.poll(() => world.control('GET', 'agent')).toMatchObject({ on: true })
    await open(page, 'Account')
    await page.getByLabel('Contact limit').fill('2')
    await page.keyboard.press('Tab')
    await expect.poll(() => world.control('GET', 'account')).toMatchObject({ plan: { contactLimit: 2 } })
    await page.getByLabel('Numbers', { exact: true }).fill('[{"id":"one"}]')
    await page.keyboard.press('Tab')
    await page.getByRole('alert').getByText('must be digits').waitFor()
    await open(page, 'Endpoint')
    const before = world.emulator.signingSecret
    await page.getByRole('button', { name: 'Register again' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Register again' }).click()
    const shown = page.getByRole('dialog', { name: 'The new signing secret' })
    expect(await shown.innerText()).toContain(world.emulator.signingSecret)
    await shown.getByRole('button', { name: 'Copy', exact: true }).click()
    await page.getByText('The new signing secret was copied.').waitFor()
    const secret = await clipboard(page)
    expect(secret).not.toBe(before)
    expect(secret).toBe(world.emulator.signingSecret)
    expect(await page.getByText(secret).count()).toBe(0)
    await unfold(page, 'Send an event')
    await page.getByLabel('Event', { exact: true }).fill('order.paid')
    await page.getByLabel('Payload').fill('{"order_id": "ord_mine"}')
    await page.getByRole('button', { name: 'Send an event' }).click()
    await page.getByText('Send an event: done.').waitFor()
    const sent = { event: 'order.paid', payload: '{"order_id":"ord_mine"}' }
    const { items } = (await world.control('GET', 'events')) as { items: object[] }
    expect(items.at(-1)).toMatchObject(sent)
    await page.getByRole('button', { name: 'Reset everything' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Reset', exact: true }).click()
    await thread(page).getByText('9 to 17').waitFor({ state: 'detached' })
    expect(complaints.filter((one) => !one.includes('400'))).toEqual([])
  })

  it('goes to a row by keyboard, searches, keeps the view in its address, explains a wrong signature and replays the delivery', async () => {
    await using world = await openWorld(shop)
    const { deliveryIds } = await world.emulator.customer('255712000102').says('hello')
    await world.emulator.customer(ASHA).says('hours')
    await using opened = await openPage(browser(), world, { view: `&delivery=${deliveryIds[0]}` })
    const { page, complaints } = opened
    await details(page).getByRole('heading', { name: 'message.received' }).waitFor()
    await page.getByRole('heading', { name: '255712000102' }).waitFor()
    await page.keyboard.press('Escape')
    await rows(page).filter({ hasText: 'POST /messages “9 to 17”' }).waitFor()
    await rows(page).filter({ hasText: 'message.received “hours”' }).focus()
    await page.keyboard.press('Enter')
    await details(page).getByRole('heading', { name: 'message.received' }).waitFor()
    await page.getByRole('heading', { name: ASHA }).waitFor()
    await page.locator('article.selected', { hasText: 'hours' }).waitFor()
    await expect.poll(() => page.url()).toContain('row=')
    await page.keyboard.press('Escape')
    await expect.poll(() => details(page).count()).toBe(0)
    await page.keyboard.press('/')
    await page.keyboard.type('nobody-said-this')
    await page.getByText('No rows match').waitFor()
    await expect.poll(() => page.url()).toContain('q=nobody-said-this')
    await page.keyboard.press('Escape')
    await rows(page).filter({ hasText: 'hello' }).first().waitFor()

    await world.control('PUT', 'assumptions', { retryAfterMs: [60_000] })
    await world.control('PUT', 'faults', { rules: [{ on: 'delivery', do: 'tamper', next: 1 }] })
    await world.emulator.customer(ASHA).says('hours')
    // A row opens when it is pressed. Any row may have taken 401 ms.
    await rows(page).filter({ hasText: 'will be retried' }).dispatchEvent('mousedown')
    await details(page).getByText('You armed the fault “tamper”').waitFor()
    await details(page).getByText('✕ different').waitFor()
    await details(page).getByRole('button', { name: 'Replay' }).click()
    await page.getByText('Replayed, signed now: the app answered 200.').waitFor()
    await rows(page).filter({ hasText: 'attempt 2' }).click()
    await details(page).getByText('✓ the same').waitFor()
    expect(complaints).toEqual([])
  })

  it('shows nothing without the control token, keeps it out of addresses, and survives a restart', async () => {
    const controlToken = 'of-this+run/and=the&next'
    const first = await createEmulator({ controlToken })
    const port = Number(new URL(first.url).port)
    await first.customer(ASHA).says('before the restart')
    // Anybody may have written the address: only digits reach the paths of requests.
    const view = `&customer=${encodeURIComponent('1/../../faults?')}`
    await using opened = await openPage(browser(), { emulator: first }, { token: '', view })
    const { page } = opened
    const requested: string[] = []
    page.on('request', (request) => requested.push(request.url()))
    await page.getByText('the address that the terminal printed').waitFor()
    expect(await page.getByText('before the restart').count()).toBe(0)
    // The page stays open: only the fragment of its address changes.
    await page.goto(`${first.url}/#token=${encodeURIComponent(controlToken)}`)
    await thread(page).getByText('before the restart').waitFor()
    await first.close()
    await page.getByText('Reconnecting…').waitFor()
    await write(page, 'is anyone there?')
    await page.getByRole('alert').getByText('does not answer').waitFor()
    await using second = await createEmulator({ port, controlToken })
    await page.getByRole('alert').waitFor({ state: 'hidden' })
    await expect.poll(() => page.getByText('before the restart').count()).toBe(0)
    await page.keyboard.press('Enter')
    await thread(page).getByText('is anyone there?').waitFor()
    expect(await second.customer(ASHA).thread()).toHaveLength(1)
    expect(requested.filter((url) => url.includes('of-this'))).toEqual([])
    await page.setContent(`<iframe src="${second.url}/"></iframe>`)
    await expect.poll(() => page.frames().map((frame) => frame.url())).toContain('chrome-error://chromewebdata/')
  })

  it('has no violation that axe-core knows in both themes, and cuts nothing off at 1440 and 390 pixels', async () => {
    await using world = await openWorld(shop)
    await world.emulator.templates.add({ name: 'n'.repeat(200), language: 'en', body: 'Order {{1}} is ready' })
    await using opened = await openPage(browser(), world, { colorScheme: 'light' })
    const { page } = opened
    await write(page, 'hi '.repeat(200))
    await page.getByRole('button', { name: 'Track order' }).waitFor()
    await send(world.emulator, { to: ASHA, text: '' })
    await page.getByText('validation_error').first().waitFor()
    const file = { media_url: 'https://media.example.com/a.pdf', media_filename: `${'f'.repeat(200)}.pdf` }
    await send(world.emulator, { to: ASHA, type: 'document', ...file })
    await page.getByText('ffff').first().waitFor()
    await open(page, 'Faults')
    await page.evaluate(`for (const it of document.querySelectorAll('details.more')) it.open = true`)
    // Only colours depend on the theme.
    expect(await violations(page, ['color-contrast'])).toEqual([])
    await rows(page).filter({ hasText: 'message.received' }).first().click()
    await page.getByText('Signed string', { exact: true }).waitFor()
    await open(page, 'Account')
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await violations(page)).toEqual([])
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 844 })
      expect(await page.evaluate('document.documentElement.scrollWidth'), `${width}`).toBeLessThanOrEqual(width)
      expect(await page.evaluate(CUT_OFF), `${width}`).toEqual([])
    }
  })
})
