import { expect, it } from 'vitest'
import type { Store } from '../../../src/store/store.ts'
import { ACCEPTED, claim, LEASE_MS, send, T0, UNKNOWN } from '../samples.ts'
import type { Stage } from './index.ts'
import type { NewSend } from '../../../src/store/outbox/rows.ts'
import type { OpenedCode } from '../../../src/features/codes/store/open-code.ts'
import type { Fence } from '../../../src/store/work/lanes.ts'

const REFUSED = { as: 'refused', code: 'not_authenticated', reason: 'x' } as const
const REPEAT = { as: 'attempting', at: T0, code: undefined, reason: 'no answer' } as const
const KEYS = ['sh1_first', 'sh1_second', 'sh1_third']

/** Sends whose real body is in the memory of one process alone. */
export function codes(at: Stage): void {
  it('keeps the body withheld, in a lane that nobody claims [B OTP-06, F-84]', async () => {
    const { send: row } = await opened(at.store)
    expect(row).toMatchObject({ state: 'ready', withheld: true, key: KEYS[0], via: 'template', attempts: 0 })
    for (const now of [T0, T0 + LEASE_MS - 1]) {
      expect((await at.store.claimSends(claim({ now, processName: 'two' }))).begun).toEqual([])
      expect((await at.store.claimItems(claim({ now, processName: 'two' }))).begun).toEqual([])
    }
  })

  it('is lost when its process is gone, and a process that comes back late settles nothing [B OTP-06, F-84]', async () => {
    const { send: row, fence } = await opened(at.store)
    expect(await at.store.beginSend(fence, row.id, 'template', T0)).toBe(true)
    await at.store.claimSends(claim({ processName: 'two', now: T0 + LEASE_MS - 1 }))
    expect((await at.store.findSend({ id: row.id }))?.state).toBe('attempting')
    await at.store.claimSends(claim({ processName: 'two', now: T0 + LEASE_MS }))
    expect(await at.store.findSend({ id: row.id })).toMatchObject({ state: 'lost_code', settledAt: T0 + LEASE_MS })
    for (const late of [ACCEPTED, REFUSED, UNKNOWN])
      expect(await at.store.settleSend(fence, row.id, late, { now: T0 + LEASE_MS, goOn: false })).toMatchObject({
        stands: false,
      })
    expect(await at.store.beginSend(fence, row.id, 'template', T0 + LEASE_MS)).toBe(false)
    expect((await at.store.findSend({ id: row.id }))?.state).toBe('lost_code')
    expect(await at.place.view.lanes()).toEqual([])
  })

  it('raises the key for each new code, three times at most [B OTP-08]', async () => {
    const endings = [REFUSED, UNKNOWN, REFUSED]
    for (const [index, ending] of endings.entries()) {
      const { send: row, fence } = await opened(at.store)
      expect(row.key).toBe(KEYS[index])
      await at.store.beginSend(fence, row.id, 'template', T0)
      expect(await at.store.settleSend(fence, row.id, ending, { now: T0, goOn: false })).toMatchObject({ stands: true })
    }
    expect(await open(at.store)).toEqual({ found: 'used_up' })
    expect(await open(at.store, { slot: '["another"]' }, ['sh1_another'])).toMatchObject({ found: 'new' })
  })

  it('sends no other code while one is under way or was accepted, from another process neither [B OTP-08]', async () => {
    const other = await at.place.open()
    const { send: row, fence } = await opened(at.store)
    for (const store of [at.store, other])
      expect(await open(store)).toMatchObject({ found: 'known', send: { id: row.id } })
    await at.store.beginSend(fence, row.id, 'template', T0)
    await at.store.settleSend(fence, row.id, REPEAT, { now: T0, goOn: false })
    for (const store of [at.store, other])
      expect(await open(store)).toMatchObject({ found: 'known', send: { id: row.id } })
    await at.store.settleSend(fence, row.id, ACCEPTED, { now: T0, goOn: false })
    for (const store of [at.store, other])
      expect(await open(store)).toMatchObject({ found: 'known', send: { id: row.id, state: 'accepted' } })
  })

  it('raises the key once if two processes ask at the same time [B OTP-08]', async () => {
    const other = await at.place.open()
    const answers = await Promise.all([open(at.store), open(other), open(at.store)])
    expect(answers.filter(({ found }) => found === 'new')).toHaveLength(1)
    expect(answers.filter(({ found }) => found === 'known')).toHaveLength(2)
  })

  it('ends its lane when it is settled, and keeps it while it is repeated', async () => {
    const { send: row, fence } = await opened(at.store)
    await at.store.beginSend(fence, row.id, 'template', T0)
    await at.store.settleSend(fence, row.id, REPEAT, { now: T0, goOn: false })
    expect(await at.place.view.lanes()).toMatchObject([{ kind: 'send', key: fence.lane }])
    await at.store.beginSend(fence, row.id, 'template', T0)
    await at.store.settleSend(fence, row.id, ACCEPTED, { now: T0, goOn: false })
    expect(await at.place.view.lanes()).toEqual([])
    expect(await at.store.findSend({ id: row.id })).toMatchObject({ state: 'accepted', attempts: 2, messageId: 'm1' })
  })

  it('keeps the category of each template that was ever listed, of each number, as it was listed last [B OTP-06]', async () => {
    expect(await at.store.categories('default')).toEqual({})
    await at.store.keepCategories('default', { 'login/en': 'AUTHENTICATION', 'ready/en': 'UTILITY' })
    await at.store.keepCategories('branch', { 'login/en': 'UTILITY' })
    await at.store.keepCategories('default', { 'ready/en': 'MARKETING', 'ready/sw': 'UTILITY' })
    const another = await at.place.open()
    expect(await another.categories('default')).toEqual({
      'login/en': 'AUTHENTICATION',
      'ready/en': 'MARKETING',
      'ready/sw': 'UTILITY',
    })
  })

  async function opened(store: Store): Promise<{ send: Extract<OpenedCode, { found: 'new' }>['send']; fence: Fence }> {
    const answer = await open(store)
    if (answer.found !== 'new') throw new Error(`the code is ${answer.found}`)
    return answer
  }
}

/** Each code has its own id, and so its own lane. */
function open(store: Store, given: Partial<NewSend> = {}, keys: readonly string[] = KEYS): Promise<OpenedCode> {
  const one = send({ key: '', slot: '["login","a1"]', via: 'template', body: '{"withheld":1}', ...given })
  return store.openCode({ ...one, lane: `code/${one.id}` }, keys, {
    processName: 'one',
    leaseMs: LEASE_MS,
    now: T0,
  }) as Promise<OpenedCode>
}
