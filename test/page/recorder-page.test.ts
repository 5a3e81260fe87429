import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { readPlayFile } from '../../src/testing/play/play.ts'
import { runAsTest } from '../support/run-as-test.ts'
import { ASHA, openWorld } from '../support/world.ts'
import { clipboard, describeInBrowser, openPage, thread, write } from './support/browser.ts'
import { shop } from './support/shop.ts'

/** The same bot as in the app's own file. */
const SHOP = `import { createBot } from 'switchhook'
import { shop } from '${resolve(import.meta.dirname, 'support/shop.ts')}'
export const bot = createBot()
shop(bot)
`

describeInBrowser('the recorder', (browser) => {
  it('makes a file and a test of a conversation, without the step that was taken out', async () => {
    await using world = await openWorld(shop)
    await using opened = await openPage(browser(), world)
    const { page, complaints } = opened
    await write(page, 'before')
    await thread(page).getByText('How can we help?').waitFor()

    await page.getByRole('button', { name: 'Record', exact: true }).click()
    await write(page, 'hi')
    await expect.poll(() => thread(page).getByText('How can we help?').count()).toBe(2)
    await thread(page).getByRole('button', { name: 'Track order' }).last().click()
    await thread(page).getByText('On its way').waitFor()
    await write(page, 'hours')
    await thread(page).getByText('9 to 17').waitFor()
    await page.getByRole('button', { name: 'Stop', exact: true }).first().click()

    const steps = page.getByRole('list', { name: 'Recorded steps' })
    await expect.poll(() => steps.getByRole('listitem').count()).toBe(3)
    await steps.getByRole('button', { name: `Take out: ${ASHA} says "hours"` }).click()
    await page.getByLabel('What it shows').fill('tracks an order')

    await page.getByRole('button', { name: 'Copy as file' }).click()
    await page.getByText('The file was copied.').waitFor()
    expect(readPlayFile(JSON.parse(await clipboard(page)))).toEqual({
      switchhook: 1,
      name: 'tracks an order',
      steps: [
        {
          customer: ASHA,
          says: 'hi',
          expect: [{ to: ASHA, kind: 'interactive', text: 'How can we help?', options: ['Track order'] }],
        },
        { customer: ASHA, taps: 'Track order', expect: [{ to: ASHA, text: 'On its way' }] },
      ],
    })
    await page.getByRole('button', { name: 'Copy as test' }).click()
    await page.getByText('The test was copied.').waitFor()
    const test = await clipboard(page)
    expect(test).toContain("it('tracks an order', async () => {")
    const { status, said } = runAsTest(test, SHOP)
    expect(said).toContain('1 passed')
    expect(status).toBe(0)
    expect(runAsTest(test.replace('On its way', 'Not yet'), SHOP).status).toBe(1)
    expect(complaints).toEqual([])
  })

  it('records from a bubble on, including what has happened since', async () => {
    await using world = await openWorld(shop)
    await using opened = await openPage(browser(), world)
    const { page } = opened
    await write(page, 'before')
    await expect.poll(() => thread(page).getByText('How can we help?').count()).toBe(1)
    await write(page, 'hours')
    await thread(page).getByText('9 to 17').waitFor()
    const bubble = thread(page).getByRole('article').filter({ hasText: 'hours' }).first()
    await bubble.getByLabel('What to do with this message').click()
    await bubble.getByRole('button', { name: 'Record from here' }).click()
    const steps = page.getByRole('list', { name: 'Recorded steps' })
    await expect.poll(() => steps.getByRole('listitem').count()).toBe(1)
    await expect.poll(() => steps.innerText()).toContain('hours')
  })

  it('says what to do if nothing was recorded', async () => {
    await using world = await openWorld(shop)
    await using opened = await openPage(browser(), world)
    const { page } = opened
    await page.keyboard.press('Shift+R')
    await page.keyboard.press('Shift+R')
    await page.getByText('Nothing happened that a test could do again.').waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Copy as test' }).count()).toBe(0)
  })
})
