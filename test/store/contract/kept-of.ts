import { expect, it } from 'vitest'
import { arrive, begin } from '../acts.ts'
import { ASHA, HOUR, item, JUMA, T0 } from '../samples.ts'
import type { Stage } from './index.ts'
import type { NewConversation } from '../../../src/features/conversations/store/conversation-rows.ts'
import type { Settlement } from '../../../src/store/work/settle.ts'

const NOTHING = {
  sessions: [],
  windows: [],
  takeovers: [],
  optOuts: [],
  people: [],
  notes: [],
  announcements: [],
  conversations: [],
  timers: [],
  once: [],
}

/** A customer may ask to see all that is kept of them: this is all but deliveries and sends. */
export function keptOf(at: Stage): void {
  it('shows all that is kept of a customer besides deliveries and sends, ended conversations too, and nothing of others', async () => {
    expect(await at.store.keptOf(ASHA)).toEqual(NOTHING)
    const seq = await handled(ASHA, 'c_one')
    await handled(JUMA, 'c_other')
    await at.store.takeOver({ number: 'default', customer: ASHA, by: 'agent', since: T0, until: T0 + HOUR })
    await at.store.optOut({ number: 'default', customer: ASHA, at: T0, how: 'web form' })
    const note = { who: 'neema', note: 'called back' }
    await at.store.assign({ number: 'default', customer: ASHA }, 'neema', { note, now: T0 })
    const kept = await at.store.keptOf(ASHA)
    expect(kept).toEqual({
      sessions: [{ number: 'default', value: '{"n":1}', expiresAt: T0 + HOUR }],
      windows: [{ number: 'default', lastInboundAt: T0, lastSentAt: null }],
      takeovers: [{ number: 'default', by: 'agent', since: T0, until: T0 + HOUR }],
      optOuts: [{ number: 'default', state: 'out', at: T0, how: 'web form' }],
      people: [{ number: 'default', state: 'open', since: null, why: null, assignee: 'neema' }],
      notes: [{ number: 'default', at: T0, ...note }],
      announcements: [],
      conversations: [
        expect.objectContaining({ id: 'c_one', name: 'booking', state: 'open', input: '{"lang":"sw"}', openedAt: T0 }),
      ],
      timers: [expect.objectContaining({ number: 'default', kind: 'conversation_due', dueAt: T0 + 2 * HOUR })],
      once: [{ seq, name: 'price', result: '12500' }],
    })
    expect(kept.conversations[0]).toMatchObject({ steps: [{ kind: 'once', name: 'free', result: '["09:00"]' }] })
    await at.store.endConversation('c_one', T0 + 1)
    const { conversations } = await at.store.keptOf(ASHA)
    expect(conversations).toEqual([expect.objectContaining({ id: 'c_one', state: 'ended', endedAt: T0 + 1 })])
  })

  /** A message whose handler opens a conversation, keeps a session and the result of a `once`; the delivery's seq. */
  async function handled(customer: string, id: string): Promise<number> {
    const opens: NewConversation = {
      number: 'default',
      customer,
      id,
      name: 'booking',
      version: 2,
      input: '{"lang":"sw"}',
    }
    const steps = [{ step: 0, kind: 'once' as const, name: 'free', result: '["09:00"]' }]
    const waits = { step: 1, for: 'answer' as const, since: T0, dueAt: T0 + HOUR }
    const settlement: Settlement = {
      as: 'done',
      session: { before: undefined, readAt: T0, value: '{"n":1}', version: 1, expiresAt: T0 + HOUR },
      changes: { conversations: [{ id, opens, steps, next: { waits } }] },
    }
    const seq = await arrive(at.store, [item({ customer })], T0, [{ number: 'default', customer, lastAt: T0 }])
    const { fence, item: begun } = await begin(at.store)
    await at.store.keepOnce(fence, begun.id, 'price', '12500')
    await at.store.settleItem(fence, begun.id, settlement, { now: T0, goOn: false })
    return seq
  }
}
