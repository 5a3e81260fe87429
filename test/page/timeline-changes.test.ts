import { describe, expect, it } from 'vitest'
import { createRows } from '../../src/page/timeline/rows/build.ts'
import type { Row } from '../../src/page/timeline/rows/table.ts'
import { ASHA, call, createTeller, type Teller } from './timeline-told.ts'

const NUMBER = '109871234500011'

function rowsOf(teller: Teller): readonly Row[] {
  return createRows().update(teller.all(), teller.now())
}

describe('the rows of what was changed or spoilt', () => {
  it('say nothing of a pause where there is no agent to be silenced', () => {
    const teller = createTeller()
    const agent = { number: NUMBER, customer: ASHA, state: 'paused', pausedUntil: '2026-03-04T09:30:00.000Z' } as const
    teller.tell('agent', { agent: { ...agent, on: false } })
    teller.pass(31 * 60_000)
    expect(rowsOf(teller)).toEqual([])
  })

  it('say what was changed: which faults, which switches, how the handset stands now', () => {
    const teller = createTeller()
    const changed = (path: string, change: Record<string, unknown>, method = 'PUT') =>
      teller.tell('control', { method, path: `/_emulator/${path}`, status: 200, change })
    changed('faults', { rules: [{ on: 'send', do: 'lose_answer', next: 2 }] })
    changed('faults', { rules: [] })
    changed('account', { plan: { api: false }, suspended: true })
    changed('assumptions', { statusCase: 'lower' })
    changed('templates', { name: 'order_ready', language: 'en' }, 'POST')
    teller.tell('handset', { customer: ASHA, handset: { online: false, receipts: true, blocked: true } })
    teller.tell('handset', { customer: ASHA, handset: { online: true, receipts: true, blocked: false } })
    expect(rowsOf(teller).map(({ title, detail }) => `${title} | ${detail}`)).toEqual([
      'Faults changed | Lose the answer (the next 2 sends)',
      'Faults changed | none armed',
      'Account changed | plan.api: false, suspended: true',
      'Assumptions changed | statusCase: lower',
      'Template added | name: order_ready, language: en',
      'Handset changed | offline, blocks the business',
      'Handset changed | as usual',
    ])
  })

  it('tell no status of a call that a fault cut off before it was accepted: there was none', () => {
    const teller = createTeller()
    teller.tell('api', call({ call: 'call_1', spoilt: 'half' }))
    teller.tell('api', call({ call: 'call_2', status: 500, spoilt: 'never' }))
    expect(rowsOf(teller).map(({ outcome }) => outcome?.label)).toEqual(['200 half', 'no answer'])
  })
})
