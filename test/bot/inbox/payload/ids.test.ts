import { describe, expect, it } from 'vitest'
import { message, received, status } from './reading.ts'

const DELIVERY = '01JNXB3A7Q8Z9K2M4N6P8R0S2T'

describe("a message's ids", () => {
  it('are sure at an unambiguous place [R EVT-02]', () => {
    for (const [data, path] of [
      [{}, 'data.id'],
      [{ id: 'row-7', message_id: 'm-1' }, 'data.message_id'],
      [{ id: 'row-7', message: { id: 'm-1' } }, 'data.message.id'],
    ] as const)
      expect(received(message(data)).facts.messageId).toEqual({ value: 'm-1', path, how: 'guessed', sure: true })
  })

  it('are not sure if a lone id may be the event’s, which raises fact_assumed [R EVT-02]', () => {
    const { data } = message()
    for (const body of [data, { ...data, event: 'message.received' }, { ...data, type: 'message.received' }]) {
      const view = received(body)
      expect(view.facts.messageId).toMatchObject({ value: 'm-1', path: 'id', sure: false })
      expect(view.alarms).toContainEqual({ code: 'fact_assumed', fact: 'messageId', path: 'id' })
    }
    expect(received({ ...data, message_id: 'm-2', event: 'message.received' }).facts.messageId).toMatchObject({
      value: 'm-2',
      sure: true,
    })
  })

  it('are never the delivery’s id, in either case [R EVT-02]', () => {
    for (const id of [DELIVERY, DELIVERY.toLowerCase()]) {
      const view = received(message({ id, wa_message_id: id }), { deliveryId: DELIVERY })
      expect(view.facts.messageId).toBeUndefined()
      expect(view.facts.upstreamId).toBeUndefined()
    }
    expect(received(message({ id: 'm-1' }), { deliveryId: 'M-1' }).facts.messageId?.value).toBe('m-1')
  })

  it('are upstream if they begin with wamid., at any place', () => {
    for (const place of ['id', 'message_id', 'external_id']) {
      const members = { id: null, [place]: 'wamid.A' }
      const { facts } = received(message(members))
      expect(facts.upstreamId).toMatchObject({ value: 'wamid.A', sure: true })
      expect(facts.messageId).toBeUndefined()
    }
  })

  it('are upstream, but not sure, under ambiguous names', () => {
    expect(received(message({ external_id: 'ext-1' })).facts.upstreamId).toMatchObject({ value: 'ext-1', sure: false })
    for (const clear of [{ wamid: 'wamid.A' }, { id: 'wamid.A' }])
      expect(received(message({ external_id: 'ext-1', ...clear }))).toMatchObject({
        facts: { upstreamId: { value: 'wamid.A', sure: true } },
        alarms: [],
      })
  })

  it('are not sure if two differ', () => {
    const two = received(message({ wa_message_id: 'wamid.A', id: 'wamid.B' }))
    expect(two.facts.upstreamId).toMatchObject({ value: 'wamid.A', sure: false })
    expect(two.alarms).toEqual([{ code: 'fact_conflict', fact: 'upstreamId', path: 'data.id' }])
    const around = received({ message_id: 'm-0', ...message() })
    expect(around.facts.messageId).toMatchObject({ value: 'm-1', path: 'data.id', sure: false })
  })
})

describe('our number’s id', () => {
  it('is sure only if its member is called phone_number_id [R EVT-02]', () => {
    const sure: object[] = [{ phone_number_id: '1098' }, { metadata: { phoneNumberId: 1098 } }]
    const unsure = [{ business_phone_number_id: '1098' }, { number: { id: '1098' } }, { line: { id: '1098' } }]
    for (const members of [...sure, ...unsure]) {
      const { numberId } = received(message(members)).facts
      expect(numberId).toMatchObject({ value: '1098', sure: sure.includes(members) })
    }
    const read = status({ phone_number_id: '1098', data: { to: '255712000101', status: 'read' } })
    expect(read.facts.numberId).toMatchObject({ value: '1098', sure: true })
  })

  it('is not sure if two differ', () => {
    const view = received({ phone_number_id: '1099', ...message({ phone_number_id: '1098' }) })
    expect(view.facts.numberId).toMatchObject({ value: '1098', sure: false })
    expect(view.alarms).toEqual([{ code: 'fact_conflict', fact: 'numberId', path: 'phone_number_id' }])
  })
})
