import { describe, expect, it } from 'vitest'
import type { Chat, Line, QueueRow } from '../../../src/features/people/desk/desk-api.ts'
import {
  cutRows,
  filledIn,
  mergeChat,
  newLines,
  placeRows,
  seenAfter,
  withOlder,
} from '../../../src/pages/desk/lines.ts'

const row = (id: string, more: Partial<QueueRow> = {}): QueueRow => ({
  id,
  customer: `handle of ${id}`,
  number: 'default',
  phone: '255719876543',
  state: 'waiting',
  since: '2026-03-04T09:00:00.000Z',
  bot: 'rests',
  unread: 1,
  present: [],
  ...more,
})

const line = (id: string, more: Partial<Line> = {}): Line => ({
  id,
  by: 'customer',
  at: '2026-03-04T09:00:00.000Z',
  kind: 'text',
  text: id,
  ...more,
})

const chat = (lines: readonly Line[], more: Partial<Chat> = {}): Chat => ({
  row: row('asha'),
  lines,
  seen: { message: lines.length, send: 0 },
  window: { open: true },
  now: '2026-03-04T09:00:00.000Z',
  ...more,
})

const idsOf = ({ lines }: Chat) => lines.map(({ id }) => id)

describe('an open chat', () => {
  it('keeps its older lines, takes new ones and new states, and shows none twice', () => {
    const known = chat([line('1'), line('2'), line('3', { state: 'sending' })], { before: '0.0.0' })
    const fresh = chat([line('2'), line('3', { state: 'read' }), line('4')], { before: '1.0.0' })
    const merged = mergeChat(known, fresh)
    expect(idsOf(merged)).toEqual(['1', '2', '3', '4'])
    expect(merged.lines[2]?.state).toBe('read')
    expect(merged.before).toBe('0.0.0')
  })

  it('begins again where lines may be missing between the two answers', () => {
    const merged = mergeChat(chat([line('1'), line('2')]), chat([line('8'), line('9')], { before: '7.0.0' }))
    expect(idsOf(merged)).toEqual(['8', '9'])
    expect(merged.before).toBe('7.0.0')
  })

  it('is not changed by an answer that a newer one has overtaken, nor by that of another customer', () => {
    const known = chat([line('1'), line('2')], { now: '2026-03-04T09:00:02.000Z' })
    expect(mergeChat(known, chat([line('1')]))).toBe(known)
    expect(mergeChat(known, chat([line('2')], { row: row('juma'), now: '2026-03-04T10:00:00.000Z' }))).toBe(known)
  })

  it('keeps no more than some hundred lines while its newest are in sight, and all of them while somebody reads older ones', () => {
    let [atEnd, above] = [chat([line('1')]), chat([line('1')])]
    let most = 0
    for (let nth = 2; nth <= 2_000; nth++) {
      const lines = Array.from({ length: Math.min(nth, 50) }, (_, back) => line(String(nth - back))).reverse()
      const fresh = chat(lines, { before: String(nth) })
      atEnd = mergeChat(atEnd, fresh, true)
      above = mergeChat(above, fresh, false)
      most = Math.max(most, atEnd.lines.length)
      expect(atEnd.lines.at(-1)?.id).toBe(String(nth))
    }
    expect(most).toBeLessThan(400)
    expect(atEnd.before).toBeDefined()
    expect(above.lines).toHaveLength(2_000)
  })

  it('has older lines above, each once, and knows where the chat begins', () => {
    const known = chat([line('3'), line('4')], { before: '3.0.0' })
    const all = withOlder(known, chat([line('1'), line('2'), line('3')]))
    expect(idsOf(all)).toEqual(['1', '2', '3', '4'])
    expect(all.before).toBeUndefined()
  })

  it('counts what others wrote as unseen until it was in sight, and what this person or the bot wrote as seen', () => {
    const known = chat([line('1')], { seen: { message: 1, send: 0 } })
    const after = (added: Line, seen: Chat['seen']) =>
      seenAfter(known.seen, known, chat([line('1'), added], { seen }), 'neema')
    expect(after(line('2'), { message: 2, send: 0 })).toEqual({ message: 1, send: 0 })
    expect(after(line('2', { by: 'person', who: 'baraka' }), { message: 1, send: 5 })).toEqual({ message: 1, send: 0 })
    expect(after(line('2', { by: 'person', who: 'neema' }), { message: 1, send: 5 })).toEqual({ message: 1, send: 5 })
    expect(after(line('2', { by: 'bot' }), { message: 1, send: 0 })).toEqual({ message: 1, send: 0 })
    // A quiet answer does not make an unseen message a seen one.
    const unseen = chat([line('1'), line('2')], { seen: { message: 2, send: 0 } })
    expect(seenAfter({ message: 1, send: 0 }, unseen, unseen, 'neema')).toEqual({ message: 1, send: 0 })
  })

  it('has as news what a customer or a colleague wrote, and a note of a colleague', () => {
    const added = [
      line('a'),
      line('b', { by: 'bot' }),
      line('c', { by: 'person', who: 'neema' }),
      line('d', { by: 'note', who: 'baraka' }),
      line('e', { by: 'person' }),
    ]
    expect(newLines([line('1')], [line('1'), ...added], 'neema').map(({ id }) => id)).toEqual(['a', 'd', 'e'])
  })
})

describe('a list', () => {
  const at = { me: 'neema', isWhole: true }
  const early = row('early', { since: '2026-03-04T08:00:00.000Z' })
  const late = row('late', { since: '2026-03-04T10:00:00.000Z' })
  const idsIn = (rows: readonly QueueRow[]) => rows.map(({ id }) => id)

  it('has who waits the longest first, and loses who was answered', () => {
    expect(idsIn(placeRows('waiting', [late], [early], at))).toEqual(['early', 'late'])
    expect(idsIn(placeRows('waiting', [early, late], [row('early', { state: 'answered' })], at))).toEqual(['late'])
    expect(idsIn(placeRows('open', [early, late], [row('early', { state: 'dismissed', bot: 'answers' })], at))).toEqual(
      ['late'],
    )
  })

  it('of this person has the chats that were passed to them, and loses those that went to others', () => {
    expect(idsIn(placeRows('mine', [], [row('early', { assignee: 'neema' })], at))).toEqual(['early'])
    expect(idsIn(placeRows('mine', [early], [row('early', { assignee: 'baraka' })], at))).toEqual([])
  })

  it('of recent chats has the newest first', () => {
    const wrote = (id: string, time: string) =>
      row(id, { state: 'open', last: { by: 'customer', kind: 'text', at: `2026-03-04T${time}:00.000Z` } })
    const rows = [wrote('b', '10:00'), wrote('a', '09:00')]
    expect(idsIn(placeRows('recent', rows, [wrote('a', '11:00')], at))).toEqual(['a', 'b'])
  })

  it('has as many rows as were asked for, however many customers write while it is open', () => {
    const rows = Array.from({ length: 900 }, (_, nth) => row(String(nth)))
    expect(cutRows(rows.slice(0, 200), 40)).toEqual({ rows: rows.slice(0, 200) })
    expect(cutRows(rows, 40)).toEqual({ rows: rows.slice(0, 200), next: '200' })
    // Somebody read more of them.
    expect(cutRows(rows, 350)).toEqual({ rows: rows.slice(0, 350), next: '350' })
  })

  it('that continues does not take a row whose place is behind its end', () => {
    const later = row('later', { since: '2026-03-04T12:00:00.000Z' })
    expect(idsIn(placeRows('waiting', [early, late], [later], { ...at, isWhole: false }))).toEqual(['early', 'late'])
    expect(idsIn(placeRows('waiting', [early, late], [later], at))).toEqual(['early', 'late', 'later'])
  })
})

it('a template shows what the customer will read, with its blanks until they are filled in', () => {
  expect(filledIn('Hello {{1}}, room {{2}} for {{1}}.', ['Asha'])).toBe('Hello Asha, room __2__ for Asha.')
})
