import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { createEmulator, type Emulator } from '../../src/emulator/index.ts'
import { send } from '../emulator/support/api.ts'
import { openWorld } from '../support/world.ts'
import { describeInBrowser, openPage, write } from './support/browser.ts'

type BotOf = Parameters<Parameters<typeof openWorld>[0]>[0]

const echo = (bot: BotOf) => {
  bot.otherwise((ctx) => ctx.reply(`You said ${ctx.message.text}`))
}

function sendCode(emulator: Emulator, code: string) {
  const body = { type: 'body', parameters: [{ type: 'text', text: code }] }
  const template = { template_name: 'login_code', template_language: 'en', template_components: [body] }
  return send(emulator, { to: '255712000101', type: 'template', ...template })
}

async function giveToken(page: Page, text: string): Promise<void> {
  await page.getByLabel('Control token').fill(text)
  await page.getByRole('button', { name: 'Use it' }).click()
}

describeInBrowser('the connection of page and emulator', (browser) => {
  it('comes back after the emulator was started again, and shows its new state', async () => {
    const controlToken = 'the-same-token-in-both-runs'
    const first = await createEmulator({ controlToken })
    const port = Number(new URL(first.url).port)
    await first.customer('255712000101').says('before the restart')
    await using opened = await openPage(browser(), { emulator: first })
    const { page } = opened
    await page.getByText('before the restart').first().waitFor()
    await first.close()
    await page.getByText('Reconnecting…').waitFor()
    await using second = await createEmulator({ port, controlToken })
    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByText('Nothing was said yet').waitFor()
    await write(page, 'after the restart')
    await page.getByRole('log').getByText('after the restart').waitFor()
    expect((await second.customer('255712000101').thread()).map(({ text }) => text)).toEqual(['after the restart'])
  })

  it('lets two tabs be two customers at once, each with its own phone', async () => {
    await using world = await openWorld(echo)
    await using first = await openPage(browser(), world, { view: '&customer=255712000101' })
    await using second = await openPage(browser(), world, { view: '&customer=255712000102' })
    await Promise.all([write(first.page, 'from the first'), write(second.page, 'from the second')])
    await first.page.getByRole('log').getByText('You said from the first').waitFor()
    await second.page.getByRole('log').getByText('You said from the second').waitFor()
    expect(await first.page.getByRole('log').innerText()).not.toContain('from the second')
    expect([...first.complaints, ...second.complaints]).toEqual([])
  })

  it('has the token in the header of each request, and in no address', async () => {
    await using world = await openWorld(echo)
    const { controlToken } = world.emulator
    await using opened = await openPage(browser(), world)
    const { page } = opened
    const asked: { url: string; authorization: string | undefined }[] = []
    page.on('request', (request) =>
      asked.push({ url: request.url(), authorization: request.headers()['authorization'] }),
    )
    await page.reload()
    await page.getByText('Live', { exact: true }).waitFor()
    await write(page, 'hello')
    await page.getByRole('log').getByText('You said hello').waitFor()
    const controlled = asked.filter(({ url }) => url.includes('/_emulator/'))
    expect(controlled.map(({ url }) => new URL(url).pathname)).toContain('/_emulator/stream')
    for (const { url, authorization } of controlled) expect(authorization, url).toBe(`Bearer ${controlToken}`)
    expect(asked.filter(({ url }) => url.includes(controlToken))).toEqual([])
  })

  it('shows and asks nothing without the control token, says where to find it, and all of it with it', async () => {
    await using emulator = await createEmulator()
    await emulator.templates.add({ name: 'login_code', language: 'en', category: 'AUTHENTICATION' })
    await emulator.customer('255712000101').says('my code, please')
    await sendCode(emulator, '482913')
    await using opened = await openPage(browser(), { emulator }, { token: '' })
    const { page, complaints } = opened
    await page.getByText('the address that the terminal printed').waitFor()
    await write(page, 'hello')
    await page.getByRole('alert').getByText('control token').waitFor()
    for (const hidden of ['my code, please', 'Verification code sent', '482913'])
      expect(await page.getByText(hidden).count(), hidden).toBe(0)
    expect(complaints).toEqual([])
    await giveToken(page, `${emulator.url}/#token=${emulator.controlToken}`)
    await page.getByRole('log').getByText('482913 is your verification code.').waitFor()
    await write(page, 'hello again')
    await page.getByRole('log').getByText('hello again').waitFor()
    expect(await emulator.customer('255712000101').thread()).toHaveLength(3)
  })

  it('waits for the token of the new run after the emulator was started again with another', async () => {
    const first = await createEmulator()
    const port = Number(new URL(first.url).port)
    await first.customer('255712000101').says('before the restart')
    await using opened = await openPage(browser(), { emulator: first })
    const { page } = opened
    await page.getByRole('log').getByText('before the restart').waitFor()
    await first.close()
    await page.getByText('Reconnecting…').waitFor()
    await using second = await createEmulator({ port })
    await second.customer('255712000102').says('after the restart')
    await page.getByText('Locked', { exact: true }).waitFor()
    await giveToken(page, second.controlToken)
    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByText('after the restart').first().waitFor()
    await expect.poll(() => page.getByText('before the restart').count()).toBe(0)
  })

  it('keeps a message that could not be sent, and clears the error when the emulator is back', async () => {
    const controlToken = 'of-this+run/and=the&next'
    const first = await createEmulator({ controlToken })
    const port = Number(new URL(first.url).port)
    await using opened = await openPage(browser(), { emulator: first }, { token: encodeURIComponent(controlToken) })
    const { page } = opened
    await first.close()
    await page.getByText('Reconnecting…').waitFor()
    await write(page, 'is anyone there?')
    await page.getByRole('alert').getByText('does not answer').waitFor()
    await page.getByRole('textbox', { name: 'Message' }).and(page.locator(':focus')).waitFor()
    await expect.poll(() => page.getByLabel('Message', { exact: true }).inputValue()).toBe('is anyone there?')
    await using second = await createEmulator({ port, controlToken })
    await page.getByRole('alert').waitFor({ state: 'hidden' })
    await page.keyboard.press('Enter')
    await page.getByRole('log').getByText('is anyone there?').waitFor()
    expect(await second.customer('255712000101').thread()).toHaveLength(1)
  })

  it('requests nothing but a customer from the text of a foreign address', async () => {
    await using emulator = await createEmulator()
    const view = `&customer=${encodeURIComponent('1/../../faults?')}`
    await using opened = await openPage(browser(), { emulator }, { view })
    await write(opened.page, 'hello')
    await opened.page.getByRole('log').getByText('hello').waitFor()
    expect(await emulator.customer('255712000101').thread()).toHaveLength(1)
    expect(opened.complaints).toEqual([])
  })
})
