import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { ASHA, openWorld } from '../support/world.ts'
import { clipboard, describeInBrowser, openPage, thread, write } from './support/browser.ts'

type BotOf = Parameters<Parameters<typeof openWorld>[0]>[0]

const shop = (bot: BotOf) => bot.hears('hours', (ctx) => ctx.reply('9 to 17'))

interface Invalid {
  readonly validationMessage: string
}

interface Taken {
  readonly takeoverWindowMs: number | null
}

/** Opens a section of the controls. */
const open = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).first().click()

describeInBrowser('the controls', (browser) => {
  it('selects a customer by a number as people write it, and explains a wrong one', async () => {
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
    await page
      .getByRole('list', { name: 'Conversations' })
      .getByRole('button', { name: /255712000109.*9 to 17.*open/ })
      .waitFor()
    expect(complaints).toEqual([])
  })

  it('moves the clock to one second before the window closes', async () => {
    await using world = await openWorld(shop)
    await using opened = await openPage(browser(), world)
    const { page } = opened
    const button = page.getByRole('button', { name: 'To 1 s before the window closes' })
    await expect.poll(() => button.isDisabled()).toBe(true)
    await write(page, 'hours')
    await thread(page).getByText('9 to 17').waitFor()
    await button.click()
    await expect.poll(async () => (await world.control('GET', 'clock')) as object).not.toMatchObject({ offsetMs: 0 })
    const { now } = (await world.control('GET', 'clock')) as { now: string }
    const { items } = (await world.control('GET', 'customers')) as { items: { windows: { closesAt: string }[] }[] }
    const leftMs = Date.parse(items[0]?.windows[0]?.closesAt ?? '') - Date.parse(now)
    // The clock runs on while the answers are read.
    expect(leftMs).toBeLessThanOrEqual(1_000)
    expect(leftMs).toBeGreaterThan(-2_000)
  })

  it('explains a wrong or missing number in a field, and keeps an id that was refused', async () => {
    await using world = await openWorld(shop)
    await using opened = await openPage(browser(), world)
    const { page } = opened
    await open(page, 'AI agent')
    for (const [label, given] of [
      ['It thinks for (ms)', ''],
      ['It thinks for (ms)', '-5'],
      ['A send pauses it for (minutes)', ''],
    ] as const) {
      const field = page.getByLabel(label)
      await field.fill(given)
      await field.blur()
      await expect.poll(() => field.evaluate((it) => (it as unknown as Invalid).validationMessage)).not.toBe('')
    }
    await page.getByLabel('A send pauses it for (minutes)').fill('1.5')
    await page.keyboard.press('Tab')
    const numbers = async () => ((await world.control('GET', 'account')) as { numbers: Taken[] }).numbers
    await expect.poll(async () => (await numbers())[0]?.takeoverWindowMs).toBe(90_000)
    await expect.poll(() => world.control('GET', 'agent')).toMatchObject({ answersAfterMs: 500 })
    await open(page, 'Account')
    const id = page.getByLabel('Another number, by its id')
    await id.fill(world.emulator.phoneNumberId)
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('alert').getByText('must not repeat').waitFor()
    await expect.poll(() => id.inputValue()).toBe(world.emulator.phoneNumberId)
  })

  it('marks an armed fault on its own button, until it has struck', async () => {
    await using world = await openWorld(shop)
    await using opened = await openPage(browser(), world)
    const { page, complaints } = opened
    await open(page, 'Faults')
    const faults = page.locator('#part-faults')
    const [late, shuffle] = ['Late', 'Shuffle'].map((name) =>
      faults.getByRole('button', { name: new RegExp(`^${name}`) }),
    )
    await late?.click()
    await late?.getByText('armed: the next delivery').waitFor()
    expect(await shuffle?.innerText()).not.toContain('armed')
    await world.emulator.customer(ASHA).says('hours')
    await late?.getByText('armed').waitFor({ state: 'detached' })
    expect(complaints).toEqual([])
  })

  it('counts contacts while the account is open [SEND-20]', async () => {
    await using world = await openWorld(() => {})
    await using opened = await openPage(browser(), world)
    const { page } = opened
    await open(page, 'Account')
    await page.getByText('0 so far').waitFor()
    await world.emulator.customer(ASHA).says('hello')
    await page.getByText('1 so far').waitFor()
    await world.emulator.customer('255712000102').says('hello')
    await page.getByText('2 so far').waitFor()
  })

  it('registers an endpoint again and shows its new secret once [DEL-08]', async () => {
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
    expect(secret.length).toBeGreaterThan(20)
    expect(secret).not.toBe(before)
    expect(secret).toBe(world.emulator.signingSecret)
    await page.getByRole('button', { name: 'Done' }).click()
    await expect.poll(() => page.getByText(secret).count()).toBe(0)
    expect(complaints).toEqual([])
  })

  it('sends an example event after it was changed', async () => {
    await using world = await openWorld(shop)
    await using opened = await openPage(browser(), world)
    const { page } = opened
    await open(page, 'Endpoint')
    await page.getByText('Send a test event').click()
    await page.getByRole('combobox', { name: 'Event', exact: true }).selectOption('order.paid')
    await expect.poll(() => page.getByLabel('Payload').inputValue()).toContain(ASHA)
    await page.getByLabel('Payload').fill('{"order_id": "ord_mine"}')
    await page.locator('.controls form').getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('order.paid was sent.').waitFor()
    await expect
      .poll(() => world.control('GET', 'events'))
      .toMatchObject({
        items: [{ event: 'order.paid', payload: '{"order_id":"ord_mine"}' }],
      })
  })

  it('shows how long the agent is paused, and wakes it by BOT [GEN-06]', async () => {
    await using world = await openWorld(shop)
    await using opened = await openPage(browser(), world)
    const { page } = opened
    await open(page, 'AI agent')
    await page.getByLabel('The number has an AI agent').click()
    await expect.poll(() => page.getByLabel('The number has an AI agent').isChecked()).toBe(true)
    await write(page, 'hours')
    await page.getByText(`Paused for ${ASHA} until`).waitFor()
    await page.getByRole('button', { name: 'Wake it: write BOT' }).click()
    await page.getByText(`Paused for ${ASHA} until`).waitFor({ state: 'detached' })
    await expect.poll(() => world.control('GET', 'agent')).toMatchObject({ on: true, paused: [] })
  })

  it('switches an assumption, marks it as changed, and resets it', async () => {
    await using world = await openWorld(shop)
    await using opened = await openPage(browser(), world)
    const { page } = opened
    await open(page, 'Assumptions')
    await page.getByLabel('Filter the assumptions').fill('tried again del-08')
    const field = page.getByLabel(/^retryAfterMs/)
    await field.fill('[1000')
    await field.press('Tab')
    await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true')
    await field.fill('[1000, 2000]')
    await field.press('Tab')
    await page.getByText('1 changed').waitFor()
    await expect.poll(() => world.control('GET', 'assumptions')).toMatchObject({ retryAfterMs: [1_000, 2_000] })
    await page.getByRole('button', { name: /^Back to \[1000,5000/ }).click()
    await page.getByText('1 changed').waitFor({ state: 'detached' })
  })

  it('resets the state after a confirmation', async () => {
    await using world = await openWorld(shop)
    await using opened = await openPage(browser(), world)
    const { page, complaints } = opened
    await write(page, 'hours')
    await thread(page).getByText('9 to 17').waitFor()
    await open(page, 'State')
    await page.getByRole('button', { name: 'Reset everything' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    expect(await world.thread()).toHaveLength(2)
    await page.getByRole('button', { name: 'Reset everything' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Reset', exact: true }).click()
    await thread(page).getByText('9 to 17').waitFor({ state: 'detached' })
    expect(complaints).toEqual([])
  })
})
