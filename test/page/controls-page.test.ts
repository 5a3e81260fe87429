import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { ASHA, openWorld } from '../support/world.ts'
import { clipboard, describeInBrowser, openPage, thread, write } from './support/browser.ts'

type BotOf = Parameters<Parameters<typeof openWorld>[0]>[0]

const shop = (bot: BotOf) => bot.hears('hours', (ctx) => ctx.reply('9 to 17'))

/** Opens a section of the controls. */
const open = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).first().click()

/** Unfolds a form for something new. */
const unfold = (page: Page, title: string) => page.locator('summary', { hasText: title }).click()

describeInBrowser('the controls', (browser) => {
  it('select a customer by a number as people write it, move the clock by buttons and keys, and reset', async () => {
    await using world = await openWorld(shop)
    await using opened = await openPage(browser(), world)
    const { page, complaints } = opened
    await page.getByLabel('Customer', { exact: true }).fill('0712')
    await page.keyboard.press('Enter')
    await page.getByText('6 to 15 digits, no zero in front').waitFor()
    await page.getByLabel('Customer', { exact: true }).fill('+255 712 000 109')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Phone of 255712000109' }).waitFor()
    await write(page, 'hours')
    await thread(page).getByText('9 to 17').waitFor()
    await page.getByLabel('Message', { exact: true }).blur()
    await page.keyboard.press(']')
    await expect.poll(() => world.control('GET', 'clock')).toMatchObject({ offsetMs: 3_600_000 })
    await page.getByRole('button', { name: 'To 1 s before the window closes' }).click()
    const controls = page.getByRole('region', { name: 'Controls' })
    await controls.getByText('Window closed').waitFor()
    await unfold(page, 'Set the clock')
    await page.getByLabel('Now', { exact: true }).fill('tomorrow')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('takes ISO times').waitFor()
    await page.getByRole('button', { name: 'Reset everything' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Reset', exact: true }).click()
    await thread(page).getByText('9 to 17').waitFor({ state: 'detached' })
    expect(complaints.filter((one) => !one.includes('400'))).toEqual([])
  })

  it('arm a fault at one click until it has struck, or any fault by a form', async () => {
    await using world = await openWorld(shop)
    await using opened = await openPage(browser(), world)
    const { page, complaints } = opened
    await open(page, 'Faults')
    const late = page.locator('#part-faults').getByRole('button', { name: /^Late/ })
    await late.click()
    await late.getByText('armed: the next 1').waitFor()
    await world.emulator.customer(ASHA).says('hours')
    await late.getByText('armed').waitFor({ state: 'detached' })
    await unfold(page, 'Arm another fault')
    await page.getByRole('combobox', { name: 'On', exact: true }).selectOption('send')
    await page.getByRole('combobox', { name: 'Do', exact: true }).selectOption('half_answer')
    await page.getByLabel('Every', { exact: true }).fill('3')
    await page.getByRole('button', { name: 'Arm another fault' }).click()
    await page.getByRole('button', { name: '1 fault armed' }).waitFor()
    await expect
      .poll(() => world.control('GET', 'faults'))
      .toMatchObject({ rules: [{ on: 'send', do: 'half_answer', every: 3 }] })
    const disarm = page.getByRole('button', { name: 'Disarm' })
    await disarm.focus()
    await page.keyboard.press('Enter')
    await disarm.waitFor({ state: 'detached' })
    // The focus is not lost with the button.
    await page.getByRole('button', { name: 'Faults', exact: true }).and(page.locator(':focus')).waitFor()
    expect(complaints).toEqual([])
  })

  it('register an endpoint again and show its new secret once, and send any event [DEL-08]', async () => {
    await using world = await openWorld(shop)
    await using opened = await openPage(browser(), world)
    const { page, complaints } = opened
    await open(page, 'Endpoint')
    await page.getByText('0 of 20 failures in a row').waitFor()
    const before = world.emulator.signingSecret
    await page.getByRole('button', { name: 'Register again' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Register again' }).click()
    await page.getByRole('button', { name: 'Copy', exact: true }).click()
    await page.getByText('The new signing secret was copied.').waitFor()
    const secret = await clipboard(page)
    expect(secret).not.toBe(before)
    expect(secret).toBe(world.emulator.signingSecret)
    await page.getByRole('button', { name: 'Done' }).click()
    await expect.poll(() => page.getByText(secret).count()).toBe(0)
    await unfold(page, 'Send an event')
    await page.getByLabel('Event', { exact: true }).fill('order.paid')
    await page.getByLabel('Payload').fill('{"order_id": "ord_mine"}')
    await page.getByRole('button', { name: 'Send an event' }).click()
    await page.getByText('Send an event: done.').waitFor()
    await expect
      .poll(() => world.control('GET', 'events'))
      .toMatchObject({ items: [{ event: 'order.paid', payload: '{"order_id":"ord_mine"}' }] })
    expect(complaints).toEqual([])
  })

  it('save each setting at once, and explain a refused one [GEN-06] [SEND-20]', async () => {
    await using world = await openWorld(shop)
    await using opened = await openPage(browser(), world)
    const { page, complaints } = opened
    await open(page, 'AI agent')
    await page.getByLabel('The number has an AI agent').click()
    await expect.poll(() => world.control('GET', 'agent')).toMatchObject({ on: true })
    await page.getByLabel('Takeover window').fill('90s')
    await page.keyboard.press('Tab')
    await expect.poll(() => world.control('GET', 'account')).toMatchObject({ numbers: [{ takeoverWindowMs: 90_000 }] })
    await write(page, 'hours')
    await page.getByText(`Paused for ${ASHA} until`).waitFor()
    await page.getByRole('button', { name: 'Wake it: write BOT' }).click()
    await page.getByText(`Paused for ${ASHA} until`).waitFor({ state: 'detached' })
    await open(page, 'Account')
    await page.getByText('1 contact so far').waitFor()
    await page.getByLabel('Contact limit').fill('1')
    await page.keyboard.press('Tab')
    await expect.poll(() => world.control('GET', 'account')).toMatchObject({ plan: { contactLimit: 1 } })
    await page.getByLabel('Display').fill('1')
    await page.keyboard.press('Tab')
    await page.getByRole('alert').getByText('6 to 20 digits').waitFor()
    await open(page, 'Assumptions')
    await page.getByLabel('Status case').selectOption('lower')
    await expect.poll(() => world.control('GET', 'assumptions')).toMatchObject({ statusCase: 'lower' })
    await page.getByText('1 changed').waitFor()
    expect(complaints.filter((one) => !one.includes('400'))).toEqual([])
  })
})
