import { describe, expect, it } from 'vitest'
import { createRows } from '../../../src/pages/emulator/timeline/rows/timeline-rows.ts'
import type { Row } from '../../../src/pages/emulator/timeline/rows/table.ts'
import { ASHA, call, createLog, type TimelineLog } from './support/timeline-log.ts'

const NUMBER = '109871234500011'

function rowsOf(log: TimelineLog): readonly Row[] {
  return createRows().update(log.all())
}

describe('the rows of changes and spoilt answers', () => {
  it('do not report a pause if there is no agent', () => {
    const log = createLog()
    const agent = { number: NUMBER, customer: ASHA, state: 'paused', pausedUntil: '2026-03-04T09:30:00.000Z' } as const
    log.add('agent', { agent: { ...agent, on: false } })
    log.pass(31 * 60_000)
    expect(rowsOf(log)).toEqual([])
  })

  it('describe the change: the faults, the switches, the new state of the handset', () => {
    const log = createLog()
    const changed = (path: string, change: Record<string, unknown>, method = 'PUT') =>
      log.add('control', { method, path: `/_emulator/${path}`, status: 200, change })
    changed('faults', { rules: [{ on: 'send', do: 'lose_answer', next: 2 }] })
    changed('faults', { rules: [] })
    changed('account', { plan: { api: false }, suspended: true })
    changed('assumptions', { statusCase: 'lower' })
    changed('templates', { name: 'order_ready', language: 'en' }, 'POST')
    log.add('handset', { customer: ASHA, handset: { online: false, receipts: true, blocked: true } })
    log.add('handset', { customer: ASHA, handset: { online: true, receipts: true, blocked: false } })
    expect(rowsOf(log).map(({ title, detail }) => `${title} | ${detail}`)).toEqual([
      'Faults changed | Lose the answer (the next 2)',
      'Faults changed | none armed',
      'Account changed | plan.api: false, suspended: true',
      'Assumptions changed | statusCase: lower',
      'Template added | name: order_ready, language: en',
      'Handset changed | offline, blocks the business',
      'Handset changed | as usual',
    ])
  })

  it('have no status for a call that a fault cut off before it was accepted', () => {
    const log = createLog()
    log.add('api', call({ call: 'call_1', spoilt: 'half' }))
    log.add('api', call({ call: 'call_2', status: 500, spoilt: 'never' }))
    expect(rowsOf(log).map(({ outcome }) => outcome?.label)).toEqual(['200 half', 'no answer'])
  })
})
