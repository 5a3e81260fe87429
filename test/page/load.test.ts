import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { createEmulator, type Emulator } from '../../src/emulator/index.ts'
import { describeInBrowser, openPage } from './support/browser.ts'

const BUBBLES = 2_000
const ROWS = 10_000
const LONGEST_TASK_MS = 100

describeInBrowser('the page after a long day', (browser) => {
  it(`scrolls ${BUBBLES} bubbles and ${ROWS} rows without a task over ${LONGEST_TASK_MS} ms`, async () => {
    await using emulator = await createEmulator()
    await fill(emulator)
    await using opened = await openPage(browser(), { emulator })
    const { page, complaints } = opened
    await expect.poll(() => page.getByRole('article').count()).toBe(BUBBLES)
    await browser().startTracing(page, { categories: ['toplevel'] })
    await scroll(page, '.thread')
    await scroll(page, '.timeline .scroll')
    const tasks = tasksOf(await browser().stopTracing())
    expect(tasks.length).toBeGreaterThan(100)
    expect(tasks.filter((ms) => ms > LONGEST_TASK_MS)).toEqual([])
    expect(complaints).toEqual([])
  }, 120_000)
})

interface TraceEvent {
  readonly name: string
  readonly pid: number
  readonly tid: number
  readonly tdur?: number
  readonly args?: { readonly name?: string }
}

/** The CPU time of each task of the page's thread in milliseconds, without its waits for a busy machine. */
function tasksOf(trace: Buffer): number[] {
  const { traceEvents } = JSON.parse(trace.toString('utf8')) as { traceEvents: TraceEvent[] }
  const of = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`
  const named = traceEvents.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
  const pages = new Set(named.map(of))
  return traceEvents
    .filter((event) => event.name.endsWith('RunTask') && pages.has(of(event)) && event.tdur !== undefined)
    .map(({ tdur = 0 }) => tdur / 1_000)
}

/** Fills the emulator with a day of messages and other happenings. */
async function fill(emulator: Emulator): Promise<void> {
  const customer = emulator.customer('255712000101')
  await customer.says('hello')
  await emulator.restore(await longThread(emulator))
  for (let n = 0; n < ROWS; n++) await emulator.clock.advance(1)
}

async function longThread(emulator: Emulator) {
  const snapshot = await emulator.snapshot()
  const [phone] = snapshot.phones
  const [item] = phone?.thread ?? []
  if (!phone || !item) throw new Error('there is no thread')
  const thread = Array.from({ length: BUBBLES }, (_, n) => ({ ...item, id: `${item.id}-${n}`, text: said(n) }))
  return { ...snapshot, phones: [{ ...phone, thread }] }
}

function said(n: number): string {
  return `message ${n}: ${'words that a customer may well write '.repeat((n % 5) + 1)}`
}

/** Scrolls up to the top and down again, as a hurried reader does. */
async function scroll(page: Page, what: string): Promise<void> {
  await page.locator(what).first().hover()
  for (const by of [-1_500, 1_500])
    for (let n = 0; n < 40; n++) {
      await page.mouse.wheel(0, by)
      await page.evaluate('new Promise(requestAnimationFrame)')
    }
}
