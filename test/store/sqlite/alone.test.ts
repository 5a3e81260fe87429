import { beforeEach, describe, expect, it } from 'vitest'
import { openConnection } from '../../../src/store/sqlite/connection.ts'
import { arrive, begin, beginNew } from '../acts.ts'
import { claim, item, LEASE_MS, send, T0 } from '../samples.ts'
import { ownPlace } from './own-place.ts'

describe('taking lanes over', () => {
  let place: ReturnType<typeof ownPlace>
  beforeEach(() => void (place = ownPlace()))

  /** Begins an item and a send, and is gone. */
  async function killed(): Promise<string> {
    const store = await place.open()
    await beginNew(store, [item()], { processName: 'killed' })
    const reply = send()
    await store.openSend(reply)
    const [begun] = (await store.claimSends(claim({ processName: 'killed' }))).begun
    if (!begun) throw new Error('no send is due')
    await store.beginSend(begun.fence, reply.id, 'freeform', T0)
    await store.close()
    return reply.id
  }

  it('is done at once by a file’s only user: nobody waits for the lease of a process that is gone [F-47]', async () => {
    const id = await killed()
    const heir = await place.open()
    expect((await begin(heir, { processName: 'heir', now: T0 + 1 })).item.attempt).toBe(2)
    const { begun } = await heir.claimSends(claim({ processName: 'heir', now: T0 + 1 }))
    expect(begun.map(({ work }) => work.send)).toMatchObject([{ id, state: 'attempting', attempts: 1 }])
  })

  it('keeps the names of ended processes for a week: a bot that starts often does not fill the table', async () => {
    const day = 86_400_000
    for (let days = 0; days < 30; days++) {
      const store = await place.open()
      await store.claimItems(claim({ processName: `process of day ${days}`, now: T0 + days * day }))
      await store.close()
    }
    const connection = openConnection(place.file)
    try {
      const rows = connection.sql('SELECT name FROM processes ORDER BY id').all() as { name: string }[]
      expect(rows.map(({ name }) => name)).toContain('process of day 29')
      expect(rows.length).toBeLessThan(10)
    } finally {
      connection.close()
    }
  })

  it('is not done while another connection is open: its owner may be at work [F-55]', async () => {
    await killed()
    const other = openConnection(place.file)
    try {
      const heir = await place.open()
      expect((await heir.claimItems(claim({ processName: 'heir', now: T0 + 1 }))).begun).toEqual([])
      expect((await heir.claimSends(claim({ processName: 'heir', now: T0 + 1 }))).begun).toEqual([])
      expect((await heir.claimItems(claim({ processName: 'heir', now: T0 + LEASE_MS }))).begun).toHaveLength(1)
    } finally {
      other.close()
    }
  })

  it('a back-off does not last longer for a clock that went back while nobody had the file open [F-61]', async () => {
    const store = await place.open()
    await arrive(store, [item()])
    const now = Date.now()
    const ahead = now + 3_600_000
    const { fence, item: begun } = await begin(store, { now: ahead })
    const retry = { as: 'retry', reason: 'x', at: ahead + 64_000, blocksLane: false, completedHandlers: [] } as const
    await store.settleItem(fence, begun.id, retry, { now: ahead, goOn: true })
    await store.close()
    const heir = await place.open()
    expect([store.clockWentBack, heir.clockWentBack]).toEqual([false, true])
    expect((await heir.claimItems(claim({ processName: 'heir', now: now + 63_999 }))).begun).toEqual([])
    expect((await begin(heir, { processName: 'heir', now: Date.now() + 64_000 })).item.attempt).toBe(2)
  })

  it('loses a one-time code with a restart at once, and a new one may go out under the next key [B OTP-06, F-84]', async () => {
    const store = await place.open()
    const keys = ['sh1_first', 'sh1_second']
    const code = send({ key: '', slot: '["login","a1"]', via: 'template', body: '{"withheld":1}', lane: 'code/1' })
    const lease = { processName: 'killed', leaseMs: LEASE_MS, now: T0 }
    const first = await store.openCode(code, keys, lease)
    if (first?.found !== 'new') throw new Error(`the code is ${first?.found}`)
    await store.beginSend(first.fence, code.id, 'template', T0)
    await store.close()
    const heir = await place.open()
    const another = { ...code, id: `${code.id}-2`, lane: 'code/2', body: '{"another":1}' }
    expect(await heir.openCode(another, keys, { ...lease, processName: 'heir' })).toMatchObject({
      found: 'new',
      send: { key: keys[1] },
    })
    expect((await heir.findSend({ id: code.id }))?.state).toBe('lost_code')
  })
})
