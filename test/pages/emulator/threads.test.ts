import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { applyItem, reloadThreads, threadOf } from '../../../src/pages/emulator/state/threads.ts'
import { setControlToken } from '../../../src/pages/emulator/wire/control.ts'
import type { ThreadItem } from '../../../src/pages/emulator/wire/wire-types.ts'

const NINE = '2026-03-04T09:00:00.000Z'

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

beforeAll(() => setControlToken('of-this-run'))
afterEach(() => void vi.unstubAllGlobals())

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
