import { describe, expect, it } from 'vitest'
import { type IngestDeps, readUnread } from '../../../src/bot/inbox/unread-deliveries.ts'
import { SwitchhookError } from '../../../src/base/errors.ts'
import { Unstorable } from '../../../src/store/database/engine.ts'
import { delivery } from '../../store/samples.ts'
import { ACCEPTED, receiverOn } from './receiver.ts'
import { headersOf } from './signing.ts'
import type { Ingested } from '../../../src/store/inbox/arrive.ts'
import type { StoredDelivery } from '../../../src/store/inbox/unread.ts'

const refused = () => new Unstorable('the database did not take a write: a text is too long for an index', undefined)
const down = () => new SwitchhookError('store_unavailable', 'the database did not take a write: the disk is full')

const BODY = Buffer.from(
  JSON.stringify({ event: 'message.received', data: { id: 'm', from: '255712000101', text: 'a' } }),
)

function depsWith(store: object) {
  const nothing = () => {}
  return {
    store,
    clock: { wall: () => 0 },
    ingest: { numbersOf: () => [{ name: 'shop', phoneNumberId: undefined }], listens: () => true },
    report: { ingested: nothing, alarm: nothing },
  } as unknown as IngestDeps
}

describe('what was read of a delivery and cannot be stored', () => {
  it('does not prevent its answer: the delivery is stored unread [R SIG-09]', async () => {
    const asked: boolean[] = []
    const service = receiverOn({
      async accept(_, { ingested } = {}) {
        asked.push(ingested !== undefined)
        if (ingested) throw refused()
        return { as: 'stored' }
      },
    })
    expect(await service.post(BODY, headersOf(BODY))).toMatchObject(ACCEPTED)
    expect(asked).toEqual([true, false])
  })

  it('is an answer of 503 if the database refuses every write [R SIG-09]', async () => {
    const service = receiverOn({ accept: () => Promise.reject(down()) })
    expect(await service.post(BODY, headersOf(BODY))).toMatchObject({ status: 503 })
    expect(service.storeCalls()).toBe(1)
    expect(service.cancelled()).toBe(1)
  })

  it('quarantines it, and it is never read again', async () => {
    const stored: string[] = []
    const deps = depsWith({
      unread: async () => [{ ...delivery({ body: BODY }), seq: 1 } as StoredDelivery],
      ingest: async (_: number, { state, note, items }: Ingested) => {
        if (items.length > 0) throw refused()
        stored.push(`${state}: ${note}`)
        return []
      },
    })
    const read = await readUnread(deps, new Set())
    await Promise.all(read.flatMap(({ store }) => store()))
    expect(stored).toEqual([expect.stringContaining('quarantined: ingest_failed')])
  })
})
