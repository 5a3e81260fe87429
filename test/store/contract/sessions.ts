import { expect, it } from 'vitest'
import type { Stage } from './index.ts'
import { pruneAll } from './prune.ts'
import { arrive, beginNew } from '../acts.ts'
import { ASHA, item, JUMA, T0 } from '../samples.ts'
import type { SessionWrite } from '../../../src/store/customers/customer.ts'

const LATER = T0 + 86_400_000

/** State that the app keeps about customers, and secrets that a store keeps for the bot itself. */
export function sessions(at: Stage): void {
  it('keeps a session with the settlement of its message, and gives it back with its version', async () => {
    await settle({ value: '{"n":1}', version: 3, expiresAt: undefined })
    expect((await at.store.customerOf('default', ASHA, LATER)).session).toEqual({ value: '{"n":1}', version: 3 })
    expect((await (await at.place.open()).customerOf('default', ASHA, LATER)).session).toEqual({
      value: '{"n":1}',
      version: 3,
    })
  })

  it('makes a dead letter at once of an item whose session is refused for its values, and continues behind it [R DEL-03]', async () => {
    await arrive(at.store, [item({ at: T0 })])
    const { fence, item: begun } = await beginNew(at.store, [item({ at: T0 + 1 })])
    const session = { before: undefined, readAt: T0, value: '{}', version: 1, expiresAt: 0.5 }
    const settled = await at.store.settleItem(fence, begun.id, { as: 'done', session }, { now: T0, goOn: true })
    expect(settled).toMatchObject({
      stands: true,
      instead: { as: 'dead', reason: expect.stringContaining('not_storable') },
      next: { work: { at: T0 + 1 } },
    })
    expect((await at.store.counts()).items).toMatchObject({ dead: 1 })
  })

  it('ends it at its time, and not a moment sooner', async () => {
    await settle({ value: '{}', version: 1, expiresAt: T0 + 10 })
    expect((await at.store.customerOf('default', ASHA, T0 + 9)).session).toBeDefined()
    expect((await at.store.customerOf('default', ASHA, T0 + 10)).session).toBeUndefined()
  })

  it('removes it if the settlement says so, and leaves it alone if the settlement says nothing', async () => {
    await settle({ value: '{}', version: 1, expiresAt: undefined })
    await settle(undefined)
    expect((await at.store.customerOf('default', ASHA, T0)).session).toBeDefined()
    await settle({ value: undefined, version: 1, expiresAt: undefined })
    expect((await at.store.customerOf('default', ASHA, T0)).session).toBeUndefined()
  })

  it('writes it from outside an item if it is as it was read, and else changes nothing [F-55]', async () => {
    const who = { number: 'default', customer: ASHA }
    const write = (before: string | undefined, value: string | undefined, expiresAt?: number) =>
      at.store.putSession(who, { before, readAt: T0, value, version: 1, expiresAt })
    const answers = [
      await write('{"n":0}', '{"n":1}'),
      await write(undefined, '{"n":1}'),
      await write(undefined, '{"n":2}'),
      await write('{"n":1}', '{"n":3}', T0),
      await write('{"n":1}', undefined),
    ]
    expect(answers).toEqual([false, true, false, true, false])
    // One that has ended counts as none.
    expect([await write(undefined, '{"n":4}'), await write('{"n":4}', undefined)]).toEqual([true, true])
    expect((await at.store.customerOf('default', ASHA, T0)).session).toBeUndefined()
    expect(await at.place.view.lanes()).toEqual([])
  })

  it('adds the change of a settlement to what was written meanwhile, unless both changed the same key [F-55]', async () => {
    const who = { number: 'default', customer: ASHA }
    const put = (before: string | undefined, value: string) =>
      at.store.putSession(who, { before, readAt: T0, value, version: 1, expiresAt: undefined })
    await put(undefined, '{"a":1,"b":1,"c":1}')
    const { fence, item: begun } = await beginNew(at.store)
    await put('{"a":1,"b":1,"c":1}', '{"a":2,"b":1,"c":1}')
    const settled = (value: string) => {
      const session = { before: '{"a":1,"b":1,"c":1}', readAt: T0, value, version: 1, expiresAt: undefined }
      return at.store.settleItem(fence, begun.id, { as: 'done', session }, next(T0))
    }
    expect(await settled('{"a":3,"b":1,"c":1}')).toEqual({ stands: true, next: undefined, sessionChanged: true })
    expect((await at.store.counts()).items).toEqual({ running: 1 })
    expect((await settled('{"a":1,"b":3}')).stands).toBe(true)
    expect((await at.store.customerOf('default', ASHA, T0)).session?.value).toBe('{"a":2,"b":3}')
    expect((await at.store.counts()).items).toEqual({ done: 1 })
  })

  it('prunes sessions that ended long enough ago, and no others', async () => {
    await settle({ value: '1', version: 1, expiresAt: T0 + 9 })
    await settle({ value: '2', version: 1, expiresAt: T0 + 10 }, { customer: JUMA })
    await settle({ value: '3', version: 1, expiresAt: undefined }, { customer: '255712000103' })
    await pruneAll(at.store, { now: T0 + 10, bytesMs: 0, idsMs: 0 })
    const alive = [ASHA, JUMA, '255712000103'].map((customer) => at.store.customerOf('default', customer, T0))
    expect((await Promise.all(alive)).map(({ session }) => session?.value)).toEqual([undefined, '2', '3'])
  })

  it('makes a secret once, keeps it for every process, and has another one for another name', async () => {
    const other = await at.place.open()
    const [one, two] = await Promise.all([at.store.secret('a'), other.secret('a')])
    expect(one).toHaveLength(32)
    expect(Buffer.from(two).equals(Buffer.from(one))).toBe(true)
    expect(Buffer.from(await other.secret('b')).equals(Buffer.from(one))).toBe(false)
    expect(Buffer.from(await at.store.secret('a')).equals(Buffer.from(one))).toBe(true)
  })

  async function settle(
    write: Omit<SessionWrite, 'before' | 'readAt'> | undefined,
    given: Parameters<typeof item>[0] = {},
  ) {
    const { fence, item: begun } = await beginNew(at.store, [item(given)])
    const known = (await at.store.customerOf(begun.number, begun.customer as string, T0)).session
    const session = write && { ...write, before: known?.value, readAt: T0 }
    await at.store.settleItem(fence, begun.id, { as: 'done', session }, next(T0))
  }
}

function next(now: number) {
  return { now, goOn: true }
}
