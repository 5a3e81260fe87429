import { describe, expect, it } from 'vitest'
import { closingsIn } from '../../src/page/phone/window-closings.ts'
import type { ThreadItem } from '../../src/page/wire/types.ts'

const item = (id: string, at: string, more: Partial<ThreadItem> = {}): ThreadItem =>
  ({
    id,
    at: `2026-03-${at}:00.000Z`,
    direction: 'INBOUND',
    kind: 'text',
    text: id,
    status: null,
    ...more,
  }) as ThreadItem

const sent = { direction: 'OUTBOUND' } as const

function closed(items: readonly ThreadItem[], now?: string): unknown[] {
  const found = closingsIn(items, now === undefined ? undefined : Date.parse(`2026-03-${now}:00.000Z`))
  return [...found].map(([before, all]) => [before, ...all.map(({ at }) => new Date(at).toISOString().slice(8, 16))])
}

describe('the windows that closed on a phone', () => {
  it('stand before the first item after them, once, and open again with the next message [GEN-04]', () => {
    const items = [
      item('hello', '04T09:00'),
      item('hi', '04T09:01', sent),
      item('late', '05T09:00', sent),
      item('later', '05T09:30', sent),
      item('again', '05T10:00'),
      item('next', '06T10:00'),
    ]
    expect(closed(items)).toEqual([
      ['late', '05T09:00'],
      ['next', '06T10:00'],
    ])
  })

  it('stand at the end if nothing was said since', () => {
    const items = [item('hello', '04T09:00'), item('hi', '04T09:01', sent)]
    expect(closed(items, '05T08:59')).toEqual([])
    expect(closed(items, '05T09:00')).toEqual([['', '05T09:00']])
  })

  it('are those of each number on its own', () => {
    const items = [item('one', '04T09:00'), item('two', '04T12:00', { number: '2' })]
    expect(closed(items, '05T10:00')).toEqual([['', '05T09:00']])
    expect(closed(items, '05T13:00')).toEqual([['', '05T09:00', '05T12:00']])
  })
})
