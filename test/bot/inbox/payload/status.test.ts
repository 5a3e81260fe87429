import { describe, expect, it } from 'vitest'
import { status, viewOf } from './reading.ts'

const read = (changes: object, around: object = {}) =>
  status({ ...around, data: { message_id: 'm-1', to: '255712000201', timestamp: 1772615721, ...changes } })

describe('a status', () => {
  it('is one of the five, trimmed and in lower case [R EVT-02]', () => {
    for (const value of ['sent', 'DELIVERED', ' Read ', 'played', 'Failed']) {
      const view = read({ status: value })
      expect(view.facts.status?.value).toBe(value.trim().toLowerCase())
      expect(view.alarms).toEqual([])
    }
  })

  it('that is none of them is kept, never mapped, and raises unknown_status [R EVT-02]', () => {
    const view = read({ status: 'warning' })
    expect(view.facts.status?.value).toBe('warning')
    expect(view.alarms).toEqual([{ code: 'unknown_status', fact: 'status', path: 'data.status', word: 'warning' }])
  })

  it('is found under its other names, a specific one before `status` [R EVT-02]', () => {
    for (const members of [
      { new_status: 'read', status: 'delivered' },
      { messageStatus: 'read' },
      { delivery_status: 'read' },
      { status: { value: 'read' } },
      { state: 'read' },
      { event: 'read' },
    ])
      expect(read(members).facts.status?.value, JSON.stringify(members)).toBe('read')
  })

  it('is not read from the envelope’s own `status`, nor from a state of something else', () => {
    expect(read({ status: 'read' }, { status: 'ok' }).facts.status?.path).toBe('data.status')
    for (const [inside, around] of [
      [{}, { status: 'ok' }],
      [{}, { status: 200 }],
      [{ state: 'open' }, {}],
    ] as const)
      expect(read(inside, around).alarms).toEqual([{ code: 'fact_missing', fact: 'status' }])
    expect(read({}, { status: 'failed' }).facts.status).toMatchObject({ value: 'failed', sure: false })
  })
})

it('why a send failed is found wherever services put it [R EVT-02]', () => {
  for (const members of [
    { failure_reason: 'No' },
    { error: 'No' },
    { error: { code: 131026, message: 'No' } },
    { errors: [{ code: 131026, title: 'Failed', error_data: { details: 'No' } }] },
    { errors: [{ title: 'No' }, { title: 'Never' }] },
    { reason: 'No' },
  ])
    expect(read({ status: 'failed', ...members }).facts.failureReason?.value, JSON.stringify(members)).toBe('No')
  expect(read({ status: 'failed' }, { error: { message: 'No' } }).facts.failureReason?.value).toBe('No')
})

it('a template’s change names the template and its new and old status [R EVT-02]', () => {
  const want = { id: 't-1', name: 'order_ready', language: 'sw', status: 'approved', previousStatus: 'pending' }
  for (const data of [
    { id: 't-1', name: 'order_ready', language: 'sw', status: 'APPROVED', previous_status: 'PENDING' },
    {
      message_template_id: 't-1',
      message_template_name: 'order_ready',
      language: { code: 'sw' },
      new_status: 'approved',
      old_status: 'pending',
    },
    { template: { id: 't-1', name: 'order_ready', language: 'sw', status: 'APPROVED', old_status: 'PENDING' } },
  ]) {
    const view = viewOf('template.status', { id: 'evt_1', event: 'template.status', data })
    expect(view.facts.template?.value, JSON.stringify(data)).toEqual(want)
    expect(view.facts.template?.sure).toBe(true)
  }
})
