import { expect, it } from 'vitest'
import type { Mute } from '../../../src/store/types/index.ts'
import { ASHA, arrive, attempting, begin, delivery, item, LEASE_MS, send, seqOf, ingested, T0 } from '../samples.ts'
import type { Stage } from './index.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const WHO = { number: 'default', customer: ASHA }
const ACCEPTED = { as: 'accepted', messageId: 'm1', upstreamId: undefined, possiblyTwice: false } as const

/** The bot does not reply to some customers for a while. */
export function mutes(at: Stage): void {
  it('skips a reply while the bot is muted for its customer, and sends what is no reply [B GEN-07]', async () => {
    await at.store.mute(mutedByAgent(T0))
    const reply = await at.store.openSend(send({ unlessMutedAt: T0 + 1 }))
    expect(reply).toMatchObject({ found: 'new', send: { state: 'skipped', code: 'agent', settledAt: T0 } })
    expect((await at.store.openSend(send()))?.send.state).toBe('ready')
    expect((await at.store.openSend(send({ unlessMutedAt: T0 + DAY - 1 })))?.send.state).toBe('skipped')
    expect((await at.store.openSend(send({ unlessMutedAt: T0 + DAY })))?.send.state).toBe('ready')
  })

  it('mutes one customer of one number [B GEN-07]', async () => {
    await at.store.mute(mutedByAgent(T0))
    const elsewhere = [{ customer: '255712000102' }, { number: 'branch', lane: 'branch/255712000101/out' }]
    for (const other of elsewhere)
      expect((await at.store.openSend(send({ ...other, unlessMutedAt: T0 })))?.send.state).toBe('ready')
  })

  it('mutes in the ingest of the message that asks for it, before any handler runs [B GEN-07]', async () => {
    const seq = await seqOf(at.store, delivery())
    await at.store.ingest(seq, { ...ingested(item()), mutes: [mutedByAgent(T0)] }, T0)
    expect((await at.store.customerOf('default', ASHA, T0)).mute).toEqual(mutedByAgent(T0))
  })

  it('is not muted again by an older BOT that comes late [B GEN-07]', async () => {
    await at.store.mute(mutedByAgent(T0))
    await at.store.mute({ ...WHO, endsAt: T0 + HOUR })
    expect((await at.store.customerOf('default', ASHA, T0 + HOUR)).mute).toBeUndefined()
    await at.store.mute(mutedByAgent(T0 + HOUR - 1))
    expect((await at.store.customerOf('default', ASHA, T0 + HOUR)).mute).toBeUndefined()
    await at.store.mute(mutedByAgent(T0 + HOUR + 1))
    expect((await at.store.customerOf('default', ASHA, T0 + HOUR + 1)).mute).toEqual(mutedByAgent(T0 + HOUR + 1))
  })

  it('unmutes, or hands over, at once if the app says so, also after its clock went back [B GEN-07]', async () => {
    await at.store.mute(mutedByAgent(T0 + 25 * HOUR))
    await at.store.mute(handedOver(T0, HOUR))
    expect((await at.store.customerOf('default', ASHA, T0)).mute?.why).toBe('handed_over')
    await at.store.mute(mutedByAgent(T0 + 25 * HOUR))
    await at.store.mute({ ...WHO, endsAt: T0 + 1 })
    expect((await at.store.customerOf('default', ASHA, T0 + 1)).mute).toBeUndefined()
    await at.store.mute(mutedByAgent(T0 + 2))
    expect((await at.store.customerOf('default', ASHA, T0 + 2)).mute).toEqual(mutedByAgent(T0 + 2))
  })

  it('is not shortened by a hand-over, nor a hand-over by BOT: the longer of two reasons stands [B GEN-07]', async () => {
    await at.store.mute(mutedByAgent(T0))
    await at.store.mute(handedOver(T0 + 1, HOUR))
    expect((await at.store.customerOf('default', ASHA, T0 + 2 * HOUR)).mute?.until).toBe(T0 + DAY)
    await at.store.mute(handedOver(T0 + 2, 2 * DAY))
    await at.store.mute(mutedByAgent(T0 + 3))
    expect((await at.store.customerOf('default', ASHA, T0 + DAY + HOUR)).mute?.until).toBe(T0 + 2 + 2 * DAY)
    await at.store.mute({ ...WHO, endsAt: T0 + 4 })
    expect((await at.store.customerOf('default', ASHA, T0 + 4)).mute).toBeUndefined()
  })

  it('lets the last of two hand-overs decide how long', async () => {
    await at.store.mute(handedOver(T0, 8 * HOUR))
    await at.store.mute(handedOver(T0 + 1, HOUR))
    expect((await at.store.customerOf('default', ASHA, T0 + 1)).mute).toEqual(handedOver(T0 + 1, HOUR))
    expect((await at.store.customerOf('default', ASHA, T0 + 1 + HOUR)).mute).toBeUndefined()
  })

  it('changes nothing for an attempt that lost its lane [F-74]', async () => {
    await arrive(at.store, [item()])
    const zombie = await begin(at.store, { owner: 'zombie' })
    const heir = await begin(at.store, { owner: 'heir', now: T0 + LEASE_MS })
    expect(await at.store.mute(mutedByAgent(T0), zombie.fence)).toBe(false)
    expect((await at.store.customerOf('default', ASHA, T0)).mute).toBeUndefined()
    expect(await at.store.mute(mutedByAgent(T0), heir.fence)).toBe(true)
    expect(await at.store.mute({ ...WHO, endsAt: T0 + 1 }, zombie.fence)).toBe(false)
    expect((await at.store.customerOf('default', ASHA, T0 + 1)).mute).toEqual(mutedByAgent(T0))
    expect(await at.store.mute({ ...WHO, endsAt: T0 + 1 }, heir.fence)).toBe(true)
  })

  it('opens a skipped reply again under its key, once the mute is over [B GEN-07]', async () => {
    const reply = send({ unlessMutedAt: T0 })
    await at.store.mute(mutedByAgent(T0))
    await at.store.openSend(reply)
    expect((await at.store.openSend({ ...reply, unlessMutedAt: T0 + 1 }))?.send.state).toBe('skipped')
    await at.store.mute({ ...WHO, endsAt: T0 + 2 })
    const again = await at.store.openSend({ ...reply, unlessMutedAt: T0 + 3 })
    expect(again).toMatchObject({ found: 'reopened', send: { id: reply.id, state: 'ready', code: undefined } })
  })

  it('survives a restart [B GEN-07]', async () => {
    await at.store.mute(mutedByAgent(T0))
    await at.store.close()
    const next = await at.place.open()
    expect((await next.openSend(send({ unlessMutedAt: T0 + HOUR })))?.send.state).toBe('skipped')
  })

  it('gives the mute with a reply that waited when BOT came, so that it is not sent afterwards [B GEN-07]', async () => {
    const [reply, own] = [send({ unlessMutedAt: T0 }), send({ lane: 'default/own/out' })]
    for (const one of [reply, own]) await at.store.openSend(one)
    await at.store.mute(mutedByAgent(T0 + 1))
    const { held } = await at.store.claimSends({ owner: 'one', limit: 16, now: T0 + 2, leaseMs: LEASE_MS })
    const muteOf = (id: string) => held.find(({ work }) => work.send.id === id)?.work.mute
    expect(muteOf(reply.id)).toEqual(mutedByAgent(T0 + 1))
    expect(muteOf(own.id)).toBeUndefined()
  })

  it('knows when the service last took a send to a customer who once wrote [B GEN-06]', async () => {
    const seq = await seqOf(at.store, delivery())
    await at.store.ingest(seq, { ...ingested(), windows: [{ ...WHO, lastAt: T0 }] }, T0)
    for (const [time, sentAt] of [
      [T0 + 9, T0 + 9],
      [T0 + 5, T0 + 9],
    ] as const) {
      const one = send()
      const fence = await attempting(at.store, one)
      const accepted = { ...ACCEPTED, messageId: one.id, at: time }
      await at.store.settleSend(fence, one.id, accepted, { now: T0, goOn: true })
      expect((await at.store.customerOf('default', ASHA, T0)).lastSentAt).toBe(sentAt)
    }
    expect((await at.store.customerOf('default', '255712000102', T0)).lastSentAt).toBeUndefined()
  })
}

function mutedByAgent(since: number): Mute {
  return { ...WHO, why: 'agent', since, until: since + DAY }
}

function handedOver(since: number, forMs: number): Mute {
  return { ...WHO, why: 'handed_over', since, until: since + forMs }
}
