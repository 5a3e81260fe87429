import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { readRecording } from '../../src/testing/recording.ts'
import { ASHA, openWorld } from '../support/world.ts'
import { clipboard, describeInBrowser, openPage, thread, write } from './support/browser.ts'
import { shop } from './support/shop.ts'

describeInBrowser('the recorder', (browser) => {
  it('makes a test of a conversation, and saves it as a recording', async () => {
    await using world = await openWorld(shop)
    await using opened = await openPage(browser(), world)
    const { page, complaints } = opened
    await write(page, 'before')
    await thread(page).getByText('How can we help?').waitFor()

    await page.getByRole('button', { name: 'Record', exact: true }).click()
    await write(page, 'hours')
    await thread(page).getByText('9 to 17').waitFor()
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    const steps = page.getByRole('list', { name: 'Recorded steps' })
    await expect
      .poll(() => steps.getByRole('listitem').allInnerTexts())
      .toEqual([expect.stringMatching(`${ASHA} says "hours"[^]*→ "9 to 17"`)])

    await page.getByLabel('Name').fill('says the hours')
    await page.getByRole('button', { name: 'Copy as test' }).click()
    await page.getByText('The test was copied.').waitFor()
    expect(await clipboard(page)).toContain('it("says the hours", async () => {')
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const file = await (await saved).path()
    expect(readRecording(JSON.parse(readFileSync(file, 'utf8')))).toMatchObject({
      name: 'says the hours',
      steps: [{ kind: 'text', customer: ASHA, text: 'hours', replies: [{ to: ASHA, text: '9 to 17' }] }],
    })
    expect(complaints).toEqual([])
  })
})
