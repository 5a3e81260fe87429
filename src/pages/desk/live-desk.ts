import { signal } from '@preact/signals'
import type { DeskEvent } from '../../features/people/desk/desk-api.ts'
import { isSignedOut } from '../ui/ask.ts'
import { isRefused, wordsOf } from './requests-of-desk.ts'
import { apply, desk, EVENT_NAMES, quietly, readAll, readState } from './state-of-desk.ts'

/** The longest silence of the stream. The server sends something at least once a minute. */
const SILENT_MS = 75_000
const POLL_MS = 5_000
const RETRY_MS = 2_000

/** Why the desk does not open: `words` for the person, and `message` for the developer. */
export const startError = signal<{ readonly words: string; readonly message: string } | undefined>(undefined)
export const connection = signal<'connecting' | 'live' | 'lost'>('connecting')

let receivedAt = Number.NEGATIVE_INFINITY
const isLive = () => performance.now() - receivedAt < SILENT_MS

interface StreamEvent {
  readonly name: keyof DeskEvent
  readonly data: DeskEvent[keyof DeskEvent]
}

// The name of the lock and the channel by which all tabs of a browser share one stream: over HTTP/1, each stream would
// take one of the browser's six connections to the server.
const ADDRESS = `switchhook desk ${location.pathname}`
const channel = new BroadcastChannel(ADDRESS)

function receive({ name, data }: StreamEvent): void {
  receivedAt = performance.now()
  connection.value = 'live'
  apply(name, data)
}

/** Grows by the milliseconds that the computer sleeps. During sleep, connections may end without an event. */
const sleptMs = () => Date.now() - performance.now()
const NAP_MS = 10_000

/** The stream of this tab. It connects again until it is closed, or the session ends. */
function openStream(onEvent: (event: StreamEvent) => void, address = 'api/stream'): { close(): void } {
  let source = connect()
  let slept = sleptMs()
  const timer = setInterval(() => {
    if (Math.abs(sleptMs() - slept) > NAP_MS) receivedAt = Number.NEGATIVE_INFINITY
    slept = sleptMs()
    if (isSignedOut.value || (isLive() && source.readyState !== EventSource.CLOSED)) return
    source.close()
    source = connect()
  }, POLL_MS)

  function connect(): EventSource {
    const made = new EventSource(address)
    for (const name of EVENT_NAMES)
      made.addEventListener(name, ({ data }: MessageEvent<string>) => {
        onEvent({ name, data: JSON.parse(data) as StreamEvent['data'] })
        if (name === 'gone') close()
      })
    made.addEventListener('error', () => (receivedAt = Number.NEGATIVE_INFINITY))
    return made
  }

  function close(): void {
    clearInterval(timer)
    source.close()
  }
  return { close }
}

/** The tab that holds the lock has the stream. When it is closed, another tab gets the lock. */
function shareStream(): void {
  channel.addEventListener('message', ({ data }: MessageEvent<StreamEvent>) => receive(data))
  void navigator.locks.request(ADDRESS, () => {
    openStream((event) => {
      receive(event)
      channel.postMessage(event)
    })
    return new Promise(() => {})
  })
}

/** On a page without https a browser has no locks. Then only the visible tab has a stream. */
function streamWhileVisible(): void {
  const open = () => (document.hidden ? undefined : openStream(receive, `api/stream?browser=${browserName()}`))
  let stream = open()
  document.addEventListener('visibilitychange', () => {
    stream?.close()
    stream = open()
  })
}

/** The server allows each browser four streams, by this name. */
function browserName(): string {
  const known = localStorage.getItem(ADDRESS) ?? String(Math.random()).slice(2)
  localStorage.setItem(ADDRESS, known)
  return known
}

export async function follow(): Promise<void> {
  while (!desk.value && !isSignedOut.value)
    try {
      await readState()
    } catch (error) {
      connection.value = 'lost'
      startError.value = isRefused(error) ? { words: wordsOf(error), message: error.message } : undefined
      await pause(RETRY_MS)
    }
  if ('locks' in navigator) shareStream()
  else streamWhileVisible()
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden && !isSignedOut.value) void quietly(readState()).then(readAll)
  })
  while (!isSignedOut.value) {
    await pause(POLL_MS)
    if (isLive()) continue
    const isAnswered = await readAll()
    connection.value = isAnswered ? 'connecting' : 'lost'
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((passed) => setTimeout(passed, ms))
}
