import { batch, signal, effect } from '@preact/signals'
import { notice } from '../../ui/components/messages.ts'
import { OUT_OF_REACH, read, tokenMissing, ask, controlToken } from '../wire/control.ts'
import { type Happening, newHappenings } from '../wire/wire-types.ts'
import { offsetMs, loadService, reloadSoon } from './service.ts'
import { readEventData } from '../../../emulator/http/event-stream.ts'

export const happenings = signal<readonly Happening[]>([])
export const isLive = signal(false)
export const isLoaded = signal(false)

export async function follow(): Promise<void> {
  await load()
  openStream()
}

function setLive(connected: boolean): void {
  isLive.value = connected
  // Without the token, the emulator answered no request of the page. So the page must read everything again.
  if (tokenMissing.peek()) isComplete = false
  if (connected && notice.peek() === OUT_OF_REACH) notice.value = ''
  if (connected && !isComplete) void load()
}

/** While true, happenings wait in the queue, because the state that is being read may already contain them. */
let isLoading = false
/** True if the last reading succeeded. Otherwise the page reads again when the emulator is back. */
let isComplete = false

async function load(): Promise<void> {
  if (isLoading) return
  isLoading = true
  isComplete = await loadAll().then(
    () => true,
    () => false,
  )
  isLoading = false
  requestAnimationFrame(flush)
}

async function loadAll(): Promise<void> {
  const { items } = await read<{ items: readonly Happening[] }>('timeline')
  await loadService()
  batch(() => {
    happenings.value = items.slice(-KEPT)
    isLoaded.value = true
  })
}

let queue: Happening[] = []

/** Many happenings may arrive at once: those of one frame are rendered together. */
function receive(happening: Happening): void {
  queue.push(happening)
  if (queue.length === 1 && !isLoading) requestAnimationFrame(flush)
}

function flush(): void {
  if (isLoading) return
  const all = queue
  queue = []
  if (all.some(({ kind }) => kind === 'resync')) return void load()
  const fresh = newHappenings(all, lastHappeningId())
  batch(() => {
    happenings.value = [...happenings.peek(), ...fresh].slice(-KEPT)
    for (const happening of fresh) apply(happening)
  })
}

/** The most happenings that are kept. Each new one makes the whole list render again. */
const KEPT = 5_000

/** The stream continues after this id. Empty before the first happening. */
function lastHappeningId(): string {
  return happenings.peek().at(-1)?.id ?? ''
}

function apply(happening: Happening): void {
  switch (happening.kind) {
    case 'thread':
    case 'handset':
    case 'window':
      return reloadSoon('customers')
    case 'clock':
      offsetMs.value = happening.clock.offsetMs
      return
    case 'agent':
      return reloadSoon('agent')
    case 'api':
      // The call may have used up a fault.
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

const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 3_000

/**
 * Follows the emulator's stream, and connects again whenever the stream ends or the token changes. The stream is closed
 * while the tab is hidden, because all tabs of a browser share a few connections to a host.
 */
function openStream(): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let waitMs = FIRST_WAIT_MS
  let open = new AbortController()

  const close = () => {
    clearTimeout(timer)
    open.abort()
  }
  const reopen = () => {
    close()
    open = new AbortController()
    void readUntilEnd(open.signal)
  }
  const readUntilEnd = async (signal: AbortSignal) => {
    const connected = () => {
      waitMs = FIRST_WAIT_MS
      setLive(true)
    }
    // `readStream` rejects when the emulator stops.
    await readStream(signal, connected).catch(() => undefined)
    if (signal.aborted) return
    setLive(false)
    if (tokenMissing.peek()) return
    timer = setTimeout(reopen, waitMs)
    waitMs = Math.min(LONGEST_WAIT_MS, waitMs * 2)
  }

  const followVisibility = () => (document.hidden ? close() : reopen())
  document.addEventListener('visibilitychange', followVisibility)
  effect(() => {
    if (controlToken.value !== '') followVisibility()
  })
}

/** Uses `fetch`, because an EventSource cannot send the token in a header. */
async function readStream(signal: AbortSignal, connected: () => void): Promise<void> {
  const answer = await ask('stream', { signal, headers: { 'Last-Event-ID': lastHappeningId() } })
  connected()
  for await (const data of readEventData(answer))
    if (data !== undefined && !signal.aborted) receive(JSON.parse(data) as Happening)
}
