import type { Chat, Line, ListName, QueueRow, Seen } from '../../features/people/desk/desk-api.ts'

/** The most lines of a chat that are kept while its newest are in sight, so that the page does not grow forever. */
const MOST_LINES = 300

/** Merges a new answer into a chat, unless a newer one arrived before. `isAtEnd`: the newest lines are in sight. */
export function mergeChat(known: Chat, fresh: Chat, isAtEnd = false): Chat {
  if (known.row.id !== fresh.row.id || fresh.now < known.now) return known
  if (isAtEnd && known.lines.length > MOST_LINES) return fresh
  const ids = new Set(fresh.lines.map(({ id }) => id))
  // If the two have no line in common, lines between them may be missing: drop the known ones.
  if (!known.lines.some(({ id }) => ids.has(id))) return fresh
  const older = known.lines.filter(({ id }) => !ids.has(id))
  const { before: _, ...rest } = fresh
  return { ...rest, lines: [...older, ...fresh.lines], ...(known.before !== undefined && { before: known.before }) }
}

export function withOlder(known: Chat, older: Chat): Chat {
  const ids = new Set(known.lines.map(({ id }) => id))
  const { before: _, ...rest } = known
  return {
    ...rest,
    lines: [...older.lines.filter(({ id }) => !ids.has(id)), ...known.lines],
    ...(older.before !== undefined && { before: older.before }),
  }
}

/** The lines of `after` that customers or colleagues wrote and that `before` does not have. */
export function newLines(before: readonly Line[], after: readonly Line[], me: string): Line[] {
  const ids = new Set(before.map(({ id }) => id))
  return after.filter(({ id, by, who }) => !ids.has(id) && by !== 'bot' && !(by !== 'customer' && who === me))
}

/**
 * What the person has seen of a chat that changed. New messages of others count as seen when they have been in sight.
 * Until then, the server refuses what this person sends, and the page asks whether to send it anyway.
 */
export function seenAfter(seen: Seen, known: Chat, merged: Chat, me: string): Seen {
  const isQuiet = newLines(known.lines, merged.lines, me).length === 0
  return isQuiet && isSameSeen(known.seen, seen) ? merged.seen : seen
}

export function isSameSeen(one: Seen, other: Seen): boolean {
  return one.message === other.message && one.send === other.send
}

function isInList(list: ListName, row: QueueRow, me: string): boolean {
  if (list === 'waiting') return row.state === 'waiting'
  if (list === 'mine') return row.assignee === me
  if (list === 'recent') return true
  return row.state === 'waiting' || row.state === 'snoozed' || row.assignee !== undefined || row.bot === 'rests'
}

/** True if a row changes between two times because a take-over or a snooze ends. The server does not report that. */
export function changesBetween(
  { until, restsUntil }: Pick<QueueRow, 'until' | 'restsUntil'>,
  after: number,
  now: number,
) {
  return [until, restsUntil].some((end) => end !== undefined && Date.parse(end) > after && Date.parse(end) <= now)
}

/** The most rows of one request. */
export const LARGEST_PAGE = 200

/** Cuts a list that grew: on a page that is open all day it would contain all customers of the day. */
export function cutRows(rows: readonly QueueRow[], before: number): { rows: readonly QueueRow[]; next?: string } {
  const most = Math.max(LARGEST_PAGE, before)
  return rows.length > most ? { rows: rows.slice(0, most), next: String(most) } : { rows }
}

/** Inserts changed rows: the longest wait first; in `recent` the latest message first. */
export function placeRows(
  list: ListName,
  rows: readonly QueueRow[],
  changed: readonly QueueRow[],
  o: { readonly me: string; readonly isWhole: boolean },
): QueueRow[] {
  const ids = new Set(changed.map(({ id }) => id))
  const kept = rows.filter(({ id }) => !ids.has(id))
  const known = new Set(rows.map(({ id }) => id))
  const mine = changed.filter((row) => isInList(list, row, o.me))
  const all = [...kept, ...mine].sort(list === 'recent' ? byNewest : byWait)
  if (o.isWhole) return all
  // Rows after the last one that was read are on the next page.
  const last = all.findLastIndex(({ id }) => known.has(id))
  return all.slice(0, last + 1)
}

function byWait(one: QueueRow, other: QueueRow): number {
  const [a, b] = [one, other].map(({ state, since = '' }) => (state === 'waiting' ? `0${since}` : `1${since}`))
  return (a ?? '') < (b ?? '') ? -1 : Number(a !== b)
}

function byNewest(one: QueueRow, other: QueueRow): number {
  return (other.last?.at ?? '').localeCompare(one.last?.at ?? '')
}

/** The text that the customer will read. An empty blank shows its number. */
export function filledIn(text: string, body: readonly string[]): string {
  return text.replace(/\{\{(\d+)\}\}/g, (_, nth: string) => body[Number(nth) - 1] || `__${nth}__`)
}
