import { expect, it } from 'vitest'
import type { NewSend } from '../../../src/store/types/types.ts'
import { attempting, claim, dueSend, REFUSED, send, T0 } from '../samples.ts'
import type { Stage } from './index.ts'

const FALLBACK = { key: 'sh1_f:fallback', body: '{"template":1}' }
const CORRECTED = {
  body: '{"text":"corrected"}',
  fallback: { key: 'sh1_f:fallback', body: '{"template":2}' },
  ref: 'corrected',
}
const FRESH = {
  state: 'ready',
  attempts: 0,
  firstAttemptAt: undefined,
  attemptingSince: undefined,
  code: undefined,
  reason: undefined,
  settledAt: undefined,
  possiblyTwice: false,
}

/** A send that was surely not sent may be opened again; one that may have been sent may not. */
export function reopening(at: Stage): void {
  it('opens a send that was refused, skipped or cancelled again, with the bytes, fallback and reference of now [B IDEM-05]', async () => {
    for (const ending of ['refused', 'skipped', 'cancelled'] as const) {
      const one = send({ lane: `default/${ending}/out`, fallback: { ...FALLBACK, key: `${ending}:fallback` } })
      await end(one, ending)
      const corrected = { ...one, ...CORRECTED, fallback: { ...CORRECTED.fallback, key: `${ending}:fallback` } }
      const again = await at.store.openSend({ ...corrected, id: `another ${ending}`, createdAt: T0 + 9 })
      expect(again).toMatchObject({ found: 'reopened', diverged: false })
      expect(again?.send).toMatchObject({ ...corrected, id: one.id, createdAt: T0, ...FRESH })
      expect((await dueSend(at.store, { now: T0 + 9 })).due.send).toMatchObject({ id: one.id, body: CORRECTED.body })
    }
  })

  it('goes out as it was asked for if the fallback of the first time was refused [B ERR-06]', async () => {
    const one = send({ fallback: FALLBACK })
    const fence = await attempting(at.store, one)
    const { next } = await at.store.settleSend(fence, one.id, { as: 'fall_back' }, { now: T0, goOn: true })
    const again = next?.fence ?? fence
    await at.store.beginSend(again, one.id, 'template', T0)
    await at.store.settleSend(again, one.id, REFUSED, { now: T0, goOn: true })
    expect(await at.store.findSend({ id: one.id })).toMatchObject({ state: 'refused', via: 'template' })
    await at.store.openSend(one)
    expect((await dueSend(at.store)).due.send).toMatchObject({ via: 'freeform', body: one.body, fallback: FALLBACK })
  })

  it('is opened again once if two processes ask at the same time, and both get the same send [F-74]', async () => {
    const other = await at.place.open()
    const one = send()
    await end(one, 'refused')
    const answers = await Promise.all([at.store.openSend(one), other.openSend(one)])
    expect(new Set(answers.map((answer) => answer?.found))).toEqual(new Set(['known', 'reopened']))
    expect((await at.store.claimSends(claim())).begun).toHaveLength(1)
    expect((await other.claimSends(claim({ owner: 'two' }))).begun).toHaveLength(0)
  })

  async function end(one: NewSend, as: 'refused' | 'skipped' | 'cancelled'): Promise<void> {
    if (as !== 'cancelled') {
      const fence = await attempting(at.store, one)
      await at.store.settleSend(fence, one.id, { ...REFUSED, as }, { now: T0, goOn: true })
      return
    }
    await at.store.openSend(one)
    await at.store.cancelSend(one.key, T0)
  }
}
