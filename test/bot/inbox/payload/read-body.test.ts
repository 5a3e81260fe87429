import { describe, expect, it } from 'vitest'
import { parseBody } from '../../../../src/bot/inbox/payload/read-body.ts'
import { message, received, refusalOf, status, viewOf } from './reading.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

describe('a body', () => {
  it('is refused as not_json if its bytes are not UTF-8, and the next body is read as usual [R EVT-02]', () => {
    const broken = new Uint8Array([...bytes('{"from":"'), 0xc3, 0x28, ...bytes('"}')])
    expect(refusalOf(broken)?.code).toBe('not_json')
    expect(parseBody(bytes('{"a":"é"}'))).toMatchObject({ json: { a: 'é' } })
  })

  it('is refused as too_deep, however deep it is', () => {
    expect(refusalOf(`{"x":${'['.repeat(200_000)}${']'.repeat(200_000)}}`)?.code).toBe('too_deep')
  })

  it('is refused as the raw upstream feed only if it has the mark of that feed [R EVT-02]', () => {
    expect(refusalOf('{"object":"whatsapp_business_account","entry":[]}')?.code).toBe('raw_upstream_payload')
    expect(refusalOf('{"object":"something_else","entry":[]}')).toBeUndefined()
  })
})

describe("the event's name inside a payload", () => {
  const isOther = (body: unknown, event = 'message.status') =>
    viewOf(event, body).alarms.some(({ code }) => code === 'event_name_mismatch')

  it('is found wherever services put it', () => {
    for (const body of [
      { event: 'message.received' },
      { type: 'message.received' },
      { event: { name: 'message.received' } },
      { event: { type: 'message.received' } },
      { eventType: 'message.received' },
      { 'event-name': 'message.received' },
    ])
      expect([isOther(body), isOther(body, 'message.received')], JSON.stringify(body)).toEqual([true, false])
  })

  it('is not a kind, a status, or anything below the body', () => {
    for (const body of [{ type: 'interactive' }, { event: 'delivered' }, { data: { event: 'a.b' } }, { event: 7 }, {}])
      expect(isOther(body), JSON.stringify(body)).toBe(false)
  })

  it('raises event_name_mismatch if the header names another event, and is still read [R EVT-02]', () => {
    const view = status({ ...message({ status: 'read' }), event: 'message.received' })
    expect(view.alarms).toContainEqual({ code: 'event_name_mismatch' })
    expect(view.facts.status?.value).toBe('read')
    expect(received(message()).alarms).toEqual([])
  })
})
