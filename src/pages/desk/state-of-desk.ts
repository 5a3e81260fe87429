import { computed, effect, signal } from '@preact/signals'
import type {
  Chat,
  DeskAct,
  DeskDone,
  DeskEvent,
  DeskState,
  ListName,
  QueuePage,
  QueueRow,
  Seen,
} from '../../features/people/desk/desk-api.ts'
import { notice } from '../ui/components/messages.ts'
import { announce, signalNew } from './alerts.ts'
import { removeDrafts, removeOthersDrafts } from './drafts.ts'
import {
  changesBetween,
  cutRows,
  isSameSeen,
  LARGEST_PAGE,
  mergeChat,
  newLines,
  placeRows,
  seenAfter,
  withOlder,
} from './lines.ts'
import { ask, isSignedOut } from '../ui/ask.ts'
import { post, wordsOf } from './requests-of-desk.ts'
import { serverTime, setServerTime } from './service-clock.ts'
import { openCustomer, shownList } from './desk-address.ts'
import { speak, t } from './words.ts'

export const desk = signal<DeskState | undefined>(undefined)
export const counts = signal({ waiting: 0, mine: 0 })
export const mayWrite = computed(() => desk.value?.me.write === true)
export const mayRead = computed(() => desk.value?.me.reveal === true)
/** The name of the bot, if the app gives one. */
export const deskName = () => desk.value?.name ?? t('desk')
export const myName = () => desk.peek()?.me.who ?? ''

export async function readState(): Promise<void> {
  const state = await ask<DeskState>('api/state')
  // Another person has signed in: nothing of the previous person may stay.
  if (desk.peek() && desk.peek()?.me.who !== state.me.who) location.reload()
  removeOthersDrafts(state.me.who)
  setServerTime(state.now)
  speak(state.language, state.texts)
  Object.assign(document.documentElement, { lang: state.language, dir: t('direction') })
  counts.value = state.counts
  desk.value = state
}

effect(() => {
  if (isSignedOut.value) removeDrafts()
})

// ── the list ────────────────────────────────────────────────────────────────────────────────────────

export const rows = signal<readonly QueueRow[] | undefined>(undefined)
export const moreAfter = signal<string | undefined>(undefined)
export const onlyNumber = signal('')
/** A search, with its result as soon as it arrives; undefined without a search. */
export const found = signal<{ readonly text: string; readonly rows?: readonly QueueRow[] } | undefined>(undefined)

const PAGE = 50
/** Counts how often a list was requested. Only the answer to the latest request is shown. */
let readings = 0
/** Rows that changed while the list is read; undefined at other times. */
let meanwhile: QueueRow[] | undefined

function pathOf(list: ListName, o: { readonly limit: number; readonly after?: string | undefined }): string {
  const query = new URLSearchParams({ list, limit: String(o.limit) })
  if (onlyNumber.value !== '') query.set('number', onlyNumber.value)
  if (o.after !== undefined) query.set('after', o.after)
  return `api/queue?${query}`
}

async function readList(): Promise<void> {
  const reading = ++readings
  meanwhile = []
  let changed: readonly QueueRow[] = []
  const list = shownList.peek()
  const limit = Math.min(LARGEST_PAGE, Math.max(PAGE, rows.peek()?.length ?? 0))
  const page = await ask<QueuePage>(pathOf(list, { limit })).finally(() => {
    if (reading !== readings) return
    changed = meanwhile ?? []
    meanwhile = undefined
  })
  if (reading !== readings) return
  // The stream may have missed new messages. In a list that was just opened, nothing counts as new.
  if (rows.peek()) for (const row of page.rows) if (hasNews(row)) signalNew(row)
  rows.value = page.rows
  moreAfter.value = page.next
  counts.value = page.counts
  changeRows(changed)
}

export async function readMore(): Promise<void> {
  const reading = readings
  const page = await ask<QueuePage>(pathOf(shownList.peek(), { limit: PAGE, after: moreAfter.peek() }))
  if (reading !== readings) return
  const known = new Set(rows.peek()?.map(({ id }) => id))
  rows.value = [...(rows.peek() ?? []), ...page.rows.filter(({ id }) => !known.has(id))]
  moreAfter.value = page.next
}

export async function search(text: string): Promise<void> {
  found.value = { text }
  const answer = await post<{ rows: QueueRow[] }>('api/search', { text })
  if (found.peek()?.text === text) found.value = { text, rows: answer.rows }
}

function changeRows(changed: readonly QueueRow[]): void {
  const own = changed.filter(({ number }) => onlyNumber.peek() === '' || number === onlyNumber.peek())
  const at = { me: myName(), isWhole: moreAfter.peek() === undefined }
  const known = rows.peek()
  if (known) {
    const { rows: placed, next } = cutRows(placeRows(shownList.peek(), known, own, at), known.length)
    rows.value = placed
    moreAfter.value = next ?? moreAfter.peek()
  }
  const open = changed.find(({ id }) => id === chat.peek()?.row.id)
  if (open && chat.peek()) chat.value = { ...(chat.peek() as Chat), row: open }
  const { text, rows: shown } = found.peek() ?? {}
  if (text !== undefined && shown)
    found.value = { text, rows: shown.map((row) => changed.find(({ id }) => id === row.id) ?? row) }
}

// ── the open chat ───────────────────────────────────────────────────────────────────────────────────

export const chat = signal<Chat | undefined>(undefined)
/** What the person has seen. A message that has only just arrived is not seen yet. */
export const seen = signal<Seen>({ message: 0, send: 0 })

/** True if the newest lines of the chat are in sight. */
export const isAtEnd = signal(true)

export function markSeen(): void {
  const now = chat.peek()?.seen
  if (now && !isSameSeen(now, seen.peek())) seen.value = now
}

function show(fresh: Chat): void {
  const known = chat.peek()
  setServerTime(fresh.now)
  if (known?.row.id !== fresh.row.id) {
    chat.value = fresh
    seen.value = fresh.seen
    return
  }
  const merged = mergeChat(known, fresh, isAtEnd.peek())
  seen.value = seenAfter(seen.peek(), known, merged, myName())
  chat.value = merged
  if (merged !== known) changeRows([merged.row])
  const last = newLines(known.lines, merged.lines, myName()).findLast(({ by }) => by === 'customer')
  if (last) announce(`${t('newMessage', { name: nameOf(merged.row) })}: ${last.text ?? ''}`)
}

/** The server records the first reading of a visit. */
export async function readChat(): Promise<void> {
  const customer = openCustomer.peek()
  if (customer === undefined) return
  const fresh = await post<Chat>('api/visit', { customer })
  if (openCustomer.peek() === customer) show(fresh)
}

export async function readOlder(): Promise<void> {
  const known = chat.peek()
  if (known?.before === undefined) return
  const older = await post<Chat>('api/visit', { customer: known.row.customer, before: known.before })
  const now = chat.peek()
  if (now?.row.id === known.row.id && now.before === known.before) chat.value = withOlder(now, older)
}

export function nameOf({ name, phone }: Pick<QueueRow, 'name' | 'phone'>): string {
  return name ?? phone
}

/** Increases when the chat must scroll to its newest lines, wherever the person is in it. */
export const jumps = signal(0)

export function scrollToNewest(): void {
  jumps.value++
}

/** Does an act and shows its result. Resolves with how many rows it changed. */
export async function carryOut(asked: DeskAct): Promise<number> {
  const { count, row } = await post<DeskDone>('api/act', asked)
  changeRows([row])
  await Promise.all([readChat(), readList()]).catch(() => {
    // The act is done, and the next reading shows it.
  })
  return count
}

// ── what the server reports ─────────────────────────────────────────────────────────────────────────

const ON_EVENT: { readonly [Name in keyof DeskEvent]: (data: DeskEvent[Name]) => void } = {
  hello({ now }) {
    setServerTime(now)
    void readAll()
  },
  rows({ rows: changed, counts: now }) {
    counts.value = now
    meanwhile?.push(...changed)
    for (const row of changed) if (hasNews(row)) signalNew(row)
    changeRows(changed)
  },
  chat(fresh) {
    if (fresh.row.id === chat.peek()?.row.id) show(fresh)
  },
  present: changePresent,
  refresh({ now }) {
    setServerTime(now)
    void quietly(readList())
  },
  gone: () => void (isSignedOut.value = true),
}

export const EVENT_NAMES = Object.keys(ON_EVENT) as (keyof DeskEvent)[]

export function apply<Name extends keyof DeskEvent>(name: Name, data: DeskEvent[Name]): void {
  // A tab of another build may pass on an event that this one does not know.
  ON_EVENT[name]?.(data)
}

function changePresent({ id, present }: DeskEvent['present']): void {
  const change = (row: QueueRow) => (row.id === id ? { ...row, present } : row)
  if (rows.peek()) rows.value = rows.peek()?.map(change)
  const open = chat.peek()
  if (open?.row.id === id) chat.value = { ...open, row: change(open.row) }
}

/** How many unread messages each waiting or snoozed customer has. */
const unreadOf = new Map<string, number>()

/** True if a waiting customer has written, unless this tab is visible and shows their chat. */
function hasNews({ id, unread, state }: QueueRow): boolean {
  const before = unreadOf.get(id) ?? rows.peek()?.find((row) => row.id === id)?.unread ?? 0
  if (state === 'waiting' || state === 'snoozed') unreadOf.set(id, unread)
  else unreadOf.delete(id)
  return state === 'waiting' && unread > before && (document.hidden || chat.peek()?.row.id !== id)
}

/** Resolves with false if the reading failed. Shows no error, because the page will read again. */
export async function quietly(reading: Promise<unknown>): Promise<boolean> {
  return reading.then(
    () => true,
    () => false,
  )
}

export const readAll = () => quietly(Promise.all([readList(), readChat()]))

/** Reads the list or the chat when the address names another one, and both when a take-over or a snooze ends. */
export function followAddress(): void {
  let checkedAt = 0
  effect(() => {
    const now = serverTime.value
    const shown = [...(rows.value ?? []), ...(chat.value ? [chat.value.row] : [])]
    if (!shown.some((row) => changesBetween(row, checkedAt, now))) return
    checkedAt = now
    void readAll()
  })
  effect(() => {
    void shownList.value
    void onlyNumber.value
    rows.value = undefined
    readList().catch(showError)
  })
  effect(() => {
    void openCustomer.value
    notice.value = ''
    chat.value = undefined
    readChat().catch(showError)
  })
}

export function showError(error: unknown): void {
  if (!isSignedOut.peek()) notice.value = wordsOf(error)
}
