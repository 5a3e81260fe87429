import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { customers } from '../../../src/pages/emulator/state/customer-list.ts'
import { applyItem, reloadThreads, threadOf } from '../../../src/pages/emulator/state/threads.ts'
import { setControlToken } from '../../../src/pages/emulator/wire/control.ts'
import type { ThreadItem } from '../../../src/pages/emulator/wire/wire-types.ts'

const NINE = '2026-03-04T09:00:00.000Z'
const TEN = '2026-03-04T10:00:00.000Z'

function item(id: string, about: Partial<ThreadItem> = {}): ThreadItem {
  return { id, direction: 'INBOUND', kind: 'text', text: id, content: id, status: null, at: NINE, ...about }
}

function textsOf(items: readonly ThreadItem[]): unknown[] {
  return items.map(({ text, status }) => (status === null ? text : `${text} ${status}`))
}

/** An emulator that answers only when the test lets it. */
function slowEmulator() {
  const requests: { readonly path: string; readonly answer: (body: object) => void }[] = []
  vi.stubGlobal('fetch', (path: string) => {
    const { promise, resolve } = Promise.withResolvers<Response>()
    requests.push({ path, answer: (body) => resolve(Response.json(body)) })
    return promise
  })
  return requests
}

/** Reads a phone that contains these items. */
async function readPhone(customer: string, ...has: ThreadItem[]): Promise<void> {
  const requests = slowEmulator()
  const { items } = threadOf(customer)
  requests[0]?.answer({ items: has })
  await expect.poll(() => items.value).toEqual(has)
}

beforeAll(() => setControlToken('of-this-run'))
afterEach(() => {
  vi.unstubAllGlobals()
  customers.value = []
})

describe('a phone', () => {
  it('loses no item that arrives while it is read', async () => {
    const requests = slowEmulator()
    const { items } = threadOf('255712000201')
    applyItem('255712000201', item('second'))
    applyItem('255712000201', item('first', { status: 'read' }))
    requests[0]?.answer({ items: [item('first', { status: 'sent' })] })
    await expect.poll(() => textsOf(items.value)).toEqual(['first read', 'second'])
  })

  it('ignores an old answer that arrives after a reset', async () => {
    const requests = slowEmulator()
    const { items } = threadOf('255712000205')
    const reloading = reloadThreads()
    const [old, ...reloads] = requests
    for (const { answer } of reloads) answer({ items: [] })
    await reloading
    old?.answer({ items: [item('before the reset')] })
    await new Promise((resolve) => setTimeout(resolve))
    expect(items.value).toEqual([])
  })
})

describe('a conversation in the list', () => {
  const last = () => customers.value.map((one) => [one.customer, one.last?.text])

  it('shows the latest message, even if the clock went back before it was written', async () => {
    await readPhone('255712000202', item('before'))
    applyItem('255712000202', item('of later', { at: TEN }))
    applyItem('255712000202', item('of now', { at: NINE }))
    expect(last()).toEqual([['255712000202', 'of now']])
  })

  it('is unaffected by a new status of an older message', async () => {
    await readPhone('255712000203', item('old'))
    applyItem('255712000203', item('new', { at: TEN }))
    applyItem('255712000203', item('old', { status: 'read' }))
    expect(last()).toEqual([['255712000203', 'new']])
  })

  it('is read again if the page does not know which message is the latest', async () => {
    const requests = slowEmulator()
    applyItem('255712000204', item('of later', { at: TEN }))
    applyItem('255712000204', item('of now'))
    await expect.poll(() => requests.map(({ path }) => path)).toEqual(['/_emulator/customers'])
  })
})
