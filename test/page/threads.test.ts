import { afterEach, describe, expect, it, vi } from 'vitest'
import { customers } from '../../src/page/state/customers.ts'
import { applyItem, threadOf } from '../../src/page/state/threads.ts'
import type { ThreadItem } from '../../src/page/wire/types.ts'

const NINE = '2026-03-04T09:00:00.000Z'
const TEN = '2026-03-04T10:00:00.000Z'

function item(id: string, about: Partial<ThreadItem> = {}): ThreadItem {
  return { id, direction: 'INBOUND', kind: 'text', text: id, content: id, status: null, at: NINE, ...about }
}

function textsOf(items: readonly ThreadItem[]): unknown[] {
  return items.map(({ text, status }) => (status === null ? text : `${text} ${status}`))
}

/** An emulator that answers when it is told to. */
function slowEmulator() {
  const asked: { readonly path: string; readonly answer: (body: object) => void }[] = []
  vi.stubGlobal('fetch', (path: string) => {
    const { promise, resolve } = Promise.withResolvers<Response>()
    asked.push({ path, answer: (body) => resolve(Response.json(body)) })
    return promise
  })
  return asked
}

/** A phone that was read, and has these. */
async function readPhone(customer: string, ...has: ThreadItem[]): Promise<void> {
  const asked = slowEmulator()
  const { items } = threadOf(customer)
  asked[0]?.answer({ items: has })
  await vi.waitFor(() => expect(items.value).toEqual(has))
}

afterEach(() => {
  vi.unstubAllGlobals()
  customers.value = []
})

describe('a phone', () => {
  it('loses nothing that is told while it is read', async () => {
    const asked = slowEmulator()
    const { items } = threadOf('255712000201')
    applyItem('255712000201', item('second'))
    applyItem('255712000201', item('first', { status: 'read' }))
    asked[0]?.answer({ items: [item('first', { status: 'sent' })] })
    await vi.waitFor(() => expect(textsOf(items.value)).toEqual(['first read', 'second']))
  })
})

describe('a conversation in the list', () => {
  const last = () => customers.value.map((one) => [one.customer, one.last?.text])

  it('has the last words also where the clock went back before they were written', async () => {
    await readPhone('255712000202', item('before'))
    applyItem('255712000202', item('of later', { at: TEN }))
    applyItem('255712000202', item('of now', { at: NINE }))
    expect(last()).toEqual([['255712000202', 'of now']])
  })

  it('does not take the status of an older message for the last words', async () => {
    await readPhone('255712000203', item('old'))
    applyItem('255712000203', item('new', { at: TEN }))
    applyItem('255712000203', item('old', { status: 'read' }))
    expect(last()).toEqual([['255712000203', 'new']])
  })

  it('is read anew where nobody here knows which it is', async () => {
    const asked = slowEmulator()
    applyItem('255712000204', item('of later', { at: TEN }))
    applyItem('255712000204', item('of now'))
    await vi.waitFor(() => expect(asked.map(({ path }) => path)).toEqual(['/_emulator/customers']))
  })
})
