import { describe, expect, it } from 'vitest'
import { type ChipName, rowFilter, toggleChip } from '../../../src/pages/emulator/timeline/filter.ts'
import { createRows } from '../../../src/pages/emulator/timeline/timeline-rows.ts'
import { ASHA, call, createLog, delivery } from './support/timeline-log.ts'

describe('a search', () => {
  const log = createLog()
  log.add('delivery', delivery({ id: '01JA', state: 'delivered', attempts: 1, last: { tookMs: 5, status: 200 } }))
  log.add('delivery', delivery({ id: '01JB', event: 'message.status', attempts: 1, last: { tookMs: 5, status: 503 } }))
  log.add('delivery', delivery({ id: '01JC', event: 'order.paid', customer: null, message: null }))
  log.add('api', call({ call: 'call_e', status: 409, code: 'outside_messaging_window', customer: '254700000102' }))
  const rows = createRows()(log.all())
  const NAMES = ['received 200', 'status 503', 'order waits', 'call 409']
  const found = (query: string, chips: readonly ChipName[] = []) =>
    NAMES.filter((_, index) => rowFilter(query, chips, ASHA)?.(rows[index] as never) ?? true)

  it.each<[string, readonly ChipName[], string[]]>([
    ['', [], NAMES],
    ['OUTSIDE', [], ['call 409']],
    ['2547', [], ['call 409']],
    ['01jc', [], ['order waits']],
    ['message.status 503', [], ['status 503']],
    ['message.status 504', [], []],
    ['', ['customer'], ['received 200', 'status 503']],
    ['', ['failed'], ['status 503', 'call 409']],
    ['', ['waiting'], ['status 503', 'order waits']],
    ['', ['messages'], ['received 200']],
    ['', ['calls'], ['call 409']],
    ['', ['statuses', 'customer'], ['status 503']],
    ['503', ['messages'], []],
  ])('for the words “%s” and the chips %j finds %j', (query, chips, names) => {
    expect(found(query, chips)).toEqual(names)
  })

  it('has one chip of each group on', () => {
    expect(toggleChip(['customer', 'calls'], 'messages')).toEqual(['customer', 'messages'])
    expect(toggleChip(['customer', 'calls'], 'customer')).toEqual(['calls'])
  })
})
