import { describe, expect, it } from 'vitest'
import { createRows } from '../../src/page/timeline/rows/build.ts'
import { matches, parseQuery, withoutTerm } from '../../src/page/timeline/search.ts'
import { call, createLog, delivery } from './support/timeline-log.ts'

const log = createLog()
log.add('delivery', delivery({ id: '01JA', state: 'delivered', attempts: 1, last: { tookMs: 5, status: 200 } }))
log.add('delivery', delivery({ id: '01JB', event: 'message.status', attempts: 1, last: { tookMs: 5, status: 503 } }))
log.add('delivery', delivery({ id: '01JC', event: 'order.paid', customer: null, message: null }))
log.add('delivery', delivery({ id: '01JD', attempts: 1, last: { tookMs: 9, status: null, error: 'timeout' } }))
log.add('api', call({ call: 'call_e', status: 409, code: 'outside_messaging_window', customer: '254700000102' }))
log.add('control', { method: 'PUT', path: '/_emulator/faults', status: 200 })
const rows = createRows().update(log.all(), 0)
const NAMES = ['received 200', 'status 503', 'order waits', 'received timed out', 'call 409', 'faults']

function found(query: string, bodies: Readonly<Record<string, string>> = {}): string[] {
  const terms = parseQuery(query)
  return NAMES.filter((name, index) => matches(terms, rows[index] as never, bodies[name] ?? ''))
}

function problemOf(query: string): string | undefined {
  return parseQuery(query).find(({ problem }) => problem !== undefined)?.problem
}

describe('a search', () => {
  it.each([
    ['', NAMES],
    ['OUTSIDE', ['call 409']],
    ['message.status 503', ['status 503']],
    ['"will be retried"', ['status 503', 'received timed out']],
    ['kind:message.received', ['received 200', 'received timed out']],
    ['kind:message', ['received 200', 'status 503', 'received timed out']],
    ['kind:message.*', ['received 200', 'status 503', 'received timed out']],
    ['kind:delivery', ['received 200', 'status 503', 'order waits', 'received timed out']],
    ['kind:call', ['call 409']],
    ['status:>=400', ['status 503', 'call 409']],
    ['status:<409', ['received 200']],
    ['status:<=409', ['received 200', 'call 409']],
    ['status:>409', ['status 503']],
    ['status:409', ['call 409']],
    ['status:=200', ['received 200']],
    ['status:5xx', ['status 503']],
    ['status:failed', ['status 503', 'received timed out', 'call 409']],
    ['status:pending', ['status 503', 'order waits', 'received timed out']],
    ['to:2557…', ['received 200', 'status 503', 'received timed out']],
    ['to:+2547', ['call 409']],
    ['to:254700000102', ['call 409']],
    ['to:700000102', []],
    ['id:01jc', ['order waits']],
    ['id:CALL_E', ['call 409']],
    ['code:outside', ['call 409']],
    ['code:timeout', ['received timed out']],
    ['kind:message status:>=400', ['status 503']],
    ['-kind:delivery', ['call 409', 'faults']],
    ['-faults -message', ['order waits']],
  ])('%s finds %j', (query, names) => {
    expect(found(query)).toEqual(names)
  })

  it('looks through known bodies too', () => {
    expect(found('habari', { 'order waits': '{"text":"habari"}' })).toEqual(['order waits'])
    expect(found('-habari', { 'order waits': '{"text":"habari"}' })).not.toContain('order waits')
  })

  it.each([
    ['foo:bar', 'There is no key foo:'],
    ['status:often', 'status: takes'],
    ['status:>=', 'status: takes'],
    ['to:asha', 'to: takes'],
    ['kind:letter', 'There is no kind letter'],
    ['id:', 'id: is followed by its value'],
    ['constructor:x', 'There is no key constructor:'],
  ])('explains what is wrong with %s, and ignores it', (query, words) => {
    expect(problemOf(query)).toContain(words)
    expect(found(query)).toEqual(NAMES)
    expect(found(`-${query}`)).toEqual(NAMES)
  })

  it('takes an address and quoted text as words', () => {
    for (const query of ['http://127.0.0.1', '"foo:bar"', '-', '10:30']) {
      expect(problemOf(query), query).toBeUndefined()
      expect(parseQuery(query)[0]?.key, query).toBeUndefined()
    }
    expect(parseQuery('"two words" to:1 "open').map(({ source }) => source)).toEqual(['"two words"', 'to:1', '"open'])
  })

  it('loses one term and keeps the others as they were typed', () => {
    expect(withoutTerm('a kind:call  "b c" kind:call', 'kind:call')).toBe('a "b c" kind:call')
    expect(withoutTerm('a', 'b')).toBe('a')
  })
})
