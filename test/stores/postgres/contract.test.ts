import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPostgres } from '../../../src/stores/postgres/index.ts'
import type { Pruned } from '../../../src/stores/port/index.ts'
import { describeStore } from '../contract/index.ts'
import { makeDatabase, postgres } from '../postgres-backend.ts'
import { arrive, ASHA, begin, item, send, T0 } from '../samples.ts'
import { type Asked, noteStatements } from './asked.ts'
import { scanning } from './scans.ts'

let asked: Asked
beforeAll(() => void (asked = noteStatements()))
afterAll(() => asked.stop())

describeStore(postgres)

/** It is rare, and reads what waits by an index that holds nothing else. */
const COLD = /^UPDATE sends SET attempting_since = attempting_since - /

describe('what a store (postgres) asks in transactions that write', () => {
  /** With the indexes that are made when they are first asked for, and of which all that was handled is pruned. */
  async function usedDatabase(): Promise<string> {
    const { url } = await makeDatabase()
    const store = await openPostgres(url)
    await store.history({ number: 'default', customer: ASHA }, 1)
    await arrive(store, [item({ cause: { identity: undefined, signed: 'answered' } })])
    const { fence, item: begun } = await begin(store)
    await store.openSend(send({ cause: 'answered' }), { fence })
    await store.settleItem(fence, begun.id, { as: 'done' }, { now: T0, goOn: false })
    const [claimed] = (await store.claimSends({ owner: 'one', limit: 1, now: T0, leaseMs: 1 })).held
    const next = { now: T0, goOn: false }
    if (claimed)
      await store.settleSend(claimed.fence, claimed.work.send.id, { as: 'skipped', code: 'stale', reason: 'x' }, next)
    let after: Pruned['next']
    do {
      const ages = { now: T0 + 2, bytesBefore: T0 + 1, idsBefore: T0 + 1, limit: 9 }
      after = (await store.prune({ ...ages, ...(after && { after }) })).next
    } while (after)
    expect((await store.counts()).sends).toEqual({})
    await store.close()
    return url
  }

  it('is looked up by indexes in tables of ten million rows of which the server knows nothing else [F-55]', async () => {
    const found = await scanning(await usedDatabase(), asked.statements, 10_000_000)
    expect(found.filter((statement) => !COLD.test(statement))).toEqual([])
  })

  it('is looked up by indexes with plans that a connection has kept since its tables were empty [F-55]', async () => {
    expect(await scanning(await usedDatabase(), asked.kept, undefined)).toEqual([])
  })
})
