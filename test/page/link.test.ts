import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createEmulator } from '../../src/emulator/index.ts'
import { openWorld } from '../support/world.ts'
import { describeInBrowser, openBrowser, openPage, write } from './support/browser.ts'

type BotOf = Parameters<Parameters<typeof openWorld>[0]>[0]

const echo = (bot: BotOf) => {
  bot.otherwise((ctx) => ctx.reply(`You said ${ctx.message.text}`))
}

describeInBrowser('the link between page and emulator', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser.close())

  it('comes back after the emulator was started anew, and shows what holds then', async () => {
    const controlToken = 'the-same-token-in-both-runs'
    const first = await createEmulator({ controlToken })
    const port = Number(new URL(first.url).port)
    await first.customer('255712000101').says('before the restart')
    await using opened = await openPage(browser, { emulator: first })
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

  it('lets two tabs be two customers at once, and each see its own', async () => {
    await using world = await openWorld(echo)
    await using first = await openPage(browser, world, { view: '&customer=255712000101' })
    await using second = await openPage(browser, world, { view: '&customer=255712000102' })
    await Promise.all([write(first.page, 'from the first'), write(second.page, 'from the second')])
    await first.page.getByRole('log').getByText('You said from the first').waitFor()
    await second.page.getByRole('log').getByText('You said from the second').waitFor()
    expect(await first.page.getByRole('log').innerText()).not.toContain('from the second')
    expect([...first.complaints, ...second.complaints]).toEqual([])
  })

  it('shows the same view to whoever opens its address, and never puts the token into it', async () => {
    await using world = await openWorld(echo)
    await using opened = await openPage(browser, world, { view: '&customer=255712000105' })
    await write(opened.page, 'hello')
    await opened.page.getByRole('log').getByText('You said hello').waitFor()
    const address = opened.page.url()
    expect(address).not.toContain(world.emulator.controlToken)
    await using other = await openPage(browser, world, { token: '', view: `&${new URL(address).hash.slice(1)}` })
    await other.page.getByRole('log').getByText('You said hello').waitFor()
  })

  it('only looks without the control token, and says where it is to be had', async () => {
    await using world = await openWorld(echo)
    await using opened = await openPage(browser, world, { token: '' })
    const { page } = opened
    await write(page, 'hello')
    await page.getByRole('alert').getByText('control token').waitFor()
    expect(await world.thread()).toEqual([])
    await page.getByLabel('Control token').fill(`${world.emulator.url}/#token=${world.emulator.controlToken}`)
    await page.getByRole('button', { name: 'Use it' }).click()
    await write(page, 'hello again')
    await page.getByRole('log').getByText('You said hello again').waitFor()
  })
})
