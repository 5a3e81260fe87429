import { describe, expect, it } from 'vitest'
import { BY_EVENT, type Place } from '../../../../src/bot/inbox/payload/fact-places.ts'
import { received, viewOf } from './reading.ts'

describe('the table of a fact', () => {
  it('has each place once, so that its rank is clear [R EVT-02]', () => {
    for (const [event, tables] of Object.entries(BY_EVENT))
      for (const [fact, { places }] of Object.entries<{ readonly places: readonly Place[] }>(tables)) {
        const all = places.flatMap(({ path, only }) => (only ? [only] : ['message', 'around']).map((in_) => in_ + path))
        expect(all, `${event} ${fact}`).toEqual([...new Set(all)])
      }
  })

  it('is read by rank: a last resort counts only if no other place has the fact, however near it is [R EVT-02]', () => {
    const near = { phone_number: '255712000101', message_type: 'text', content: 'Habari', timestamp: 1772615721 }
    const all = { event: 'message.received', wa_id: '255712000102', from: '255712000103', data: near }
    const { from: _, ...likely } = all
    const { wa_id: __, ...lastResort } = likely
    expect(received(all).facts.customer).toMatchObject({ value: '255712000103', path: 'from' })
    expect(received(likely).facts.customer).toMatchObject({ value: '255712000102', path: 'wa_id', sure: false })
    expect(received(lastResort).facts.customer).toMatchObject({ value: '255712000101', sure: false })
  })

  it('may have a place whose values have another form: seconds, or only a known status [R EVT-02, EVT-04]', () => {
    const voice = { from: '255712000101', type: 'audio', media_url: 'https://a.test/1', duration_seconds: 7.4 }
    expect(received({ data: voice }).facts.media?.value.durationMs).toBe(7_400)
    const status = { to: '255712000101', message_id: 'm-1', timestamp: 1772615721 }
    expect(viewOf('message.status', { data: { ...status, state: 'open' } }).facts.status).toBeUndefined()
    expect(viewOf('message.status', { data: { ...status, state: 'READ' } }).facts.status?.value).toBe('read')
  })
})
