import { expect, it } from 'vitest'
import type { Stage } from './index.ts'

export function payloads(at: Stage): void {
  it("keeps the app's last mapping, so that anyone can see how a payload would be read", async () => {
    expect(await at.store.mapping()).toEqual([])
    const mapping = [
      { event: 'message.received', fact: 'customer', path: 'data.sender' },
      { event: 'message.received', fact: 'orderId', path: '()' },
    ]
    await at.store.keepMapping([{ event: 'a', fact: 'b', path: 'c' }])
    await at.store.keepMapping(mapping)
    expect(await at.store.mapping()).toEqual(mapping)
  })
}
