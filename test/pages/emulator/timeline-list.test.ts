import { expect, it } from 'vitest'
import { createRows, hasWords } from '../../../src/pages/emulator/timeline/timeline-rows.ts'
import { call, createLog, delivery } from './support/timeline-log.ts'

const log = createLog()
log.add('delivery', delivery({ id: '01JA', state: 'delivered', attempts: 1, last: { tookMs: 5, status: 200 } }))
log.add('delivery', delivery({ id: '01JB', event: 'message.status', attempts: 1, last: { tookMs: 5, status: 503 } }))
log.add('delivery', delivery({ id: '01JC', event: 'order.paid', customer: null, message: null }))
log.add('api', call({ call: 'call_e', status: 409, code: 'outside_messaging_window', customer: '254700000102' }))
const rows = createRows()(log.all())

it.each<[string, string[]]>([
  ['outside', ['POST /messages']],
  ['2547', ['POST /messages']],
  ['01jc', ['order.paid']],
  ['message.status 503', ['message.status']],
  ['message.status 504', []],
  ['failed', ['message.status', 'POST /messages']],
  ['waits', ['order.paid']],
])('a search for “%s” finds %j', (query, titles) => {
  expect(rows.filter((row) => hasWords(row, query.split(' '))).map(({ title }) => title)).toEqual(titles)
})
