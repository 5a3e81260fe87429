import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { createEmulator } from '../../src/emulator/index.ts'
import { buttons, list, template } from '../../src/index.ts'
import { openWorld } from '../support/world.ts'
import { clipboard, describeInBrowser, openPage, thread, write } from './support/browser.ts'

/** A picture in the browser, whose types this project does not have. */
interface Picture {
  readonly naturalWidth: number
}

const WIDTH_IN_PNG = 16

type BotOf = Parameters<Parameters<typeof openWorld>[0]>[0]

const shop = (bot: BotOf) => {
  bot.hears('hours', (ctx) => ctx.reply('9 to 17'))
  bot.hears('menu', (ctx) =>
    ctx.reply(list('What for?', { Orders: [{ id: 'track', title: 'Track', description: 'Where is it?' }] })),
  )
  bot.tapped('track', (ctx) => ctx.reply('On its way'))
  bot.hears('evil', (ctx) => ctx.reply('<img src=x onerror="document.title=1"><b>bold</b>'))
  bot.otherwise((ctx) => ctx.reply(buttons('How can we help?', [{ id: 'track', title: 'Track order' }])))
}

describeInBrowser('the phone', (browser) => {
  it('holds a conversation by keyboard alone: write, read the answer, tap, read on', async () => {
    await using world = await openWorld(shop)
    await using opened = await openPage(browser(), world)
    const { page, complaints } = opened
    await page.keyboard.press('t')
    await page.keyboard.type('hi')
    await page.keyboard.press('Enter')
    await thread(page).getByText('How can we help?').waitFor()
    // Backwards from the field through the options in the thread.
    const focused = page.locator(':focus')
    for (let n = 0; n < 12 && (await focused.innerText()) !== 'Track order'; n++) await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Enter')
    await thread(page).getByText('On its way').waitFor()
    await expect.poll(() => thread(page).getByRole('article').allInnerTexts()).toHaveLength(4)
    expect(complaints).toEqual([])
  })

  it('taps a row of a list in a sheet, and shows the tapped row', async () => {
    await using world = await openWorld(shop)
    await using opened = await openPage(browser(), world)
    const { page, complaints } = opened
    await write(page, 'menu')
    await page.getByRole('button', { name: 'View' }).click()
    const sheet = page.getByRole('dialog', { name: 'View' })
    await sheet.getByText('Where is it?').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => sheet.count()).toBe(0)
    await page.getByRole('button', { name: 'View' }).click()
    await sheet.getByRole('button', { name: /Track/ }).click()
    await thread(page).getByText('Tapped “Track”').waitFor()
    await thread(page).getByText('On its way').waitFor()
    expect(complaints).toEqual([])
  })

  it('shows ticks as they arrive: sent, delivered, read', async () => {
    await using world = await openWorld(shop)
    await using opened = await openPage(browser(), world)
    const { page } = opened
    await world.emulator.customer('255712000101').setHandset({ online: false })
    await write(page, 'hours')
    const answer = page.getByRole('article').filter({ hasText: '9 to 17' })
    await answer.getByText('sent', { exact: true }).waitFor()
    await world.emulator.customer('255712000101').setHandset({ online: true })
    await answer.getByText('delivered', { exact: true }).waitFor()
    await answer.getByLabel('What to do with this message').click()
    await answer.getByRole('button', { name: 'Let the customer read it' }).click()
    await answer.getByText('read', { exact: true }).waitFor()
  })

  it('shows a refused send with its reason, beside the template that went out in its place [GEN-04]', async () => {
    await using world = await openWorld((bot) => {
      bot.hears('later', (ctx) => ctx.reply('Thank you'))
    })
    await world.emulator.templates.add({ name: 'order_ready', language: 'en', body: 'Order {{1}} is ready' })
    await using opened = await openPage(browser(), world)
    const { page, complaints } = opened
    await write(page, 'later')
    await thread(page).getByText('Thank you').waitFor()
    await page.keyboard.press('Escape')
    await page.getByLabel('Message', { exact: true }).blur()
    await page.keyboard.press('}')
    await page.keyboard.press(']')
    await page.getByRole('button', { name: 'Window closed' }).waitFor()
    await thread(page).getByText('The window closed').waitFor()
    // The app's clock follows the emulator's, so the free-form message must be sent past the app.
    await world.bot.to('255712000101').send('It is ready', {
      key: 'order-17',
      outsideWindow: template('order_ready', 'en', { body: ['17'] }),
    })
    await thread(page).getByText('Order 17 is ready').waitFor()
    await fetch(`${world.emulator.url}/api/v2/messages`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${world.emulator.accessToken}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ to: '255712000101', text: 'Come and fetch it' }),
    })
    const ghost = page.getByRole('article').filter({ hasText: 'Come and fetch it' })
    await ghost.getByText('outside_messaging_window').waitFor()
    await expect.poll(() => ghost.innerText()).toContain('A retry does not help.')
    await expect.poll(() => ghost.innerText()).toContain('within 24 hours')
    expect(complaints).toEqual([])
  })

  it('shows every message as text, whatever it contains', async () => {
    await using world = await openWorld(shop)
    await using opened = await openPage(browser(), world)
    const { page, complaints } = opened
    const title = await page.title()
    await write(page, '<img src=x onerror="document.title=2">')
    await write(page, 'evil')
    const answer = page.getByRole('article').filter({ hasText: '<b>bold</b>' })
    await answer.waitFor()
    expect(await page.getByRole('log').locator('img, b:text("bold")').count()).toBe(0)
    expect(await page.title()).toBe(title)
    expect(complaints).toEqual([])
  })

  it('shows a one-time code on the handset with a copy button, and the withheld record beside it [OTP-06]', async () => {
    await using world = await openWorld(shop)
    await world.emulator.templates.add({ name: 'login_code', language: 'en', category: 'AUTHENTICATION' })
    await using opened = await openPage(browser(), world)
    const { page } = opened
    const parameters = [{ type: 'text', text: '482913' }]
    await fetch(`${world.emulator.url}/api/v2/messages`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${world.emulator.accessToken}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({
        to: '255712000101',
        type: 'template',
        template_name: 'login_code',
        template_language: 'en',
        template_components: [{ type: 'body', parameters }],
      }),
    })
    await page.getByRole('button', { name: 'Copy code' }).click()
    await page.getByText('The code was copied.').waitFor()
    expect(await clipboard(page)).toBe('482913')
    await expect.poll(() => page.getByRole('article').innerText()).toContain('Verification code sent')
  })

  it('keeps unsent text while another phone is shown', async () => {
    await using world = await openWorld(shop)
    await world.emulator.customer('255712000102').says('me too')
    await using opened = await openPage(browser(), world)
    const { page } = opened
    await page.getByLabel('Message', { exact: true }).fill('half a sentence')
    await page.getByRole('button', { name: /^255712000102/ }).click()
    await expect.poll(() => page.getByLabel('Message', { exact: true }).inputValue()).toBe('')
    await page.getByLabel('Customer', { exact: true }).fill('255712000101')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.getByLabel('Message', { exact: true }).inputValue()).toBe('half a sentence')
  })

  it('sends media and a voice note as the customer', async () => {
    await using world = await openWorld((bot) => {
      bot.received('audio', (ctx) => ctx.reply('I heard you'))
    })
    await using opened = await openPage(browser(), world)
    const { page } = opened
    await page.getByRole('button', { name: 'Media' }).click()
    await page.getByLabel('Kind').selectOption('voice note')
    await page.getByRole('button', { name: 'Send voice note' }).click()
    await thread(page).getByText('I heard you').waitFor()
    const [item] = await world.thread()
    expect(item?.kind).toBe('audio')
  })

  it('shows a picture that the emulator serves, other files of it by a link, and media from elsewhere by their address', async () => {
    await using emulator = await createEmulator()
    const customer = emulator.customer('255712000101')
    await customer.sendsMedia({ kind: 'image', caption: 'This one' })
    const file = resolve(import.meta.dirname, '../../docs/screenshots/refused.png')
    await customer.sendsMedia({ file })
    await customer.sendsMedia({ kind: 'audio' })
    await customer.sendsMedia({ kind: 'document' })
    const elsewhere = 'https://media.example.com/a.jpg'
    await customer.sendsMedia({ kind: 'image', url: elsewhere })
    const madeUp = ['/media/../assets/1.png', '/_emulator'].map((path) => emulator.url + path)
    for (const url of madeUp) await customer.sendsMedia({ kind: 'image', url })
    await customer.sendsMedia({ kind: 'document', url: `${emulator.url}/media/x/100%.pdf` })
    await using opened = await openPage(browser(), { emulator })
    const { page, complaints } = opened
    const pictures = thread(page).getByRole('img', { name: /^Picture / })
    await pictures.nth(1).waitFor()
    const widths = () => pictures.evaluateAll((all) => all.map((one) => (one as unknown as Picture).naturalWidth))
    await expect.poll(widths).toEqual([48, readFileSync(file).readUInt32BE(WIDTH_IN_PNG)])
    const shown = await pictures.evaluateAll((all) =>
      all.map((one) => [one.getAttribute('alt'), one.getAttribute('loading')]),
    )
    expect(shown).toEqual([
      ['Picture picture.png', 'lazy'],
      ['Picture refused.png', 'lazy'],
    ])
    const links = thread(page).getByRole('link')
    await expect.poll(() => links.allInnerTexts()).toEqual(['voice.wav', 'document.pdf', '100%.pdf'])
    const downloading = page.waitForEvent('download')
    await links.nth(1).click()
    expect((await downloading).suggestedFilename()).toBe('document.pdf')
    for (const url of [elsewhere, ...madeUp]) await thread(page).getByText(url).waitFor()
    expect(complaints).toEqual([])
  })
})
