import { describe, expect, it } from 'vitest'
import { asksForAgent, ingestDelivery } from '../../src/ingest/ingest.ts'
import { createKeySource } from '../../src/receive/keys.ts'
import type { StoredDelivery } from '../../src/stores/port/index.ts'

it('calls an unclear number as the subscription is called, whatever the order of the numbers [R SIG-06]', async () => {
  const names = ['b', 'a']
  const source = createKeySource(
    names.map((number) => ({ number, secrets: 'shared' })),
    () => 0,
  )
  const [key] = (await source.live()).keys
  const subscription = key?.subscription ?? ''
  const body = JSON.stringify({ event: 'message.received', data: { id: 'm', from: '255712000101', content: 'hi' } })
  const delivery: StoredDelivery = {
    seq: 1,
    subscription,
    deliveryId: '01J00000000000000000000000',
    event: 'message.received',
    timestamp: 0,
    digest: new Uint8Array(32),
    body: Buffer.from(body),
    receivedAt: 0,
    clockOffset: 0,
  }
  const { ingested } = ingestDelivery(delivery, {
    numbersOf: () => names.map((name) => ({ name, phoneNumberId: undefined })),
    listens: () => true,
  })
  expect(ingested.items.map(({ number, lane }) => [number, lane])).toEqual([['a+b', 'a+b/255712000101']])
})

describe('the service’s own agent', () => {
  it('is asked for by BOT alone, in any case and with space around it [B GEN-07]', () => {
    for (const text of ['BOT', 'bot', ' Bot\n', 'boT ']) expect(asksForAgent(text)).toBe(true)
    for (const text of ['robot', 'BOT please', 'b o t', '', undefined]) expect(asksForAgent(text)).toBe(false)
  })
})
