import { batch, signal } from '@preact/signals'
import { notice } from '../components/messages.ts'
import { OUT_OF_REACH, read } from '../wire/control.ts'
import { freshOf, type Happening } from '../wire/happenings.ts'
import { openStream } from '../wire/stream.ts'
import { offsetMs } from './clock.ts'
import { loadCustomers, placeHandset, placeWindow } from './customers.ts'
import { placeItem, reloadThreads } from './threads.ts'
import { loadWorld, reloadSoon } from './world.ts'

/** Whether what is shown is what is. */
export const live = signal(false)
/** Whether anything was read yet. */
export const loaded = signal(false)

/** Reads all that there is, then follows what happens. */
export async function follow(): Promise<void> {
  await load()
  openStream({
    lastId,
    heard: hear,
    live: (isLive) => {
      live.value = isLive
      if (isLive && notice.peek() === OUT_OF_REACH) notice.value = ''
      if (isLive && !isWhole) void load()
    },
  })
}

/** What is told meanwhile waits: it may be among what is read. */
let loading = false
/** Whether all was read the last time. What failed is read again when the emulator is back. */
let isWhole = false

async function load(): Promise<void> {
  if (loading) return
  loading = true
  isWhole = await loadAll().then(
    () => true,
    () => false,
  )
  loading = false
  requestAnimationFrame(show)
}

async function loadAll(): Promise<void> {
  await loadTimeline()
  await Promise.all([loadCustomers(), loadWorld(), reloadThreads()])
  loaded.value = true
}

let heard: Happening[] = []

/** Many may come at once: they are shown together, with the next picture. */
function hear(happening: Happening): void {
  heard.push(happening)
  if (heard.length === 1 && !loading) requestAnimationFrame(show)
}

function show(): void {
  if (loading) return
  const all = heard
  heard = []
  if (all.some(({ kind }) => kind === 'resync')) return void load()
  const fresh = freshOf(all, lastId())
  batch(() => {
    append(fresh)
    for (const happening of fresh) apply(happening)
  })
}

function apply(happening: Happening): void {
  switch (happening.kind) {
    case 'thread':
      return placeItem(happening.customer, happening.item)
    case 'handset':
      return placeHandset(happening.customer, happening.handset)
    case 'window':
      return placeWindow(happening.window.customer, happening.window)
    case 'clock':
      offsetMs.value = happening.clock.offsetMs
      return
    case 'agent':
      return reloadSoon('agent')
    case 'api':
      // A fault may have been used up.
      return reloadSoon('faults')
    case 'delivery':
      reloadSoon('faults')
      return reloadSoon('subscriptions')
    case 'subscription':
      return reloadSoon('subscriptions')
    case 'control':
      return reloadSoon(happening.path.split('/')[2] ?? '')
    default:
  }
}

/** All that happened, oldest first. */
export const happenings = signal<readonly Happening[]>([])

/** More than this the page does not keep; the emulator keeps no more either. */
const KEPT = 20_000

export async function loadTimeline(): Promise<void> {
  happenings.value = (await read<{ items: readonly Happening[] }>('timeline')).items
}

export function append(more: readonly Happening[]): void {
  const all = [...happenings.peek(), ...more]
  happenings.value = all.length > KEPT ? all.slice(-KEPT) : all
}

/** From where the stream goes on. */
export function lastId(): string {
  return happenings.peek().at(-1)?.id ?? ''
}
