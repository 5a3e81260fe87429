import { computed, signal } from '@preact/signals'
import type { Health, Me, Refusal } from '../admin/api.ts'
import { notice } from '../ui/components/messages.ts'

/** The session is over: nothing that was shown before stays on the screen. */
export const isSignedOut = signal(false)

/** `path` is below the page's own address: `api/deliveries/12`. */
export function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return ask<T>(path, signal ? { signal } : {})
}

export function post<T>(path: string, body: unknown): Promise<T> {
  return ask<T>(path, {
    method: 'POST',
    // A form of another site cannot send this header.
    headers: { 'content-type': 'application/json', 'x-switchhook-admin': '1' },
    body: JSON.stringify(body),
  })
}

async function ask<T>(path: string, init: RequestInit): Promise<T> {
  const answer = await fetch(path, init).catch((error: unknown) => {
    if (init.signal?.aborted) throw error
    throw new Error('The bot’s process does not answer.')
  })
  const body = (await answer.json().catch(() => undefined)) as unknown
  if (answer.ok && body !== undefined) return body as T
  if (isRefusal(body) && body.error === 'unauthorized') isSignedOut.value = true
  if (isRefusal(body)) throw new Error(body.message)
  throw new Error(`The answer was ${answer.status}, from something that is not the bot.`)
}

function isRefusal(body: unknown): body is Refusal {
  return typeof body === 'object' && body !== null && 'error' in body && 'message' in body
}

/** The person at the page; undefined until the server has answered. */
export const visitor = signal<Me | undefined>(undefined)

export const mayAct = computed(() => visitor.value !== undefined && !visitor.value.readOnly)
export const mayReveal = computed(() => visitor.value?.reveal === true)

/** Asks who the visitor is. If the person has changed, the page forgets what it showed to the other one. */
export function loadVisitor(): void {
  get<Me>('api/me').then(
    (me) => {
      const before = visitor.peek()
      visitor.value = me
      if (before !== undefined && before.who !== me.who) location.reload()
    },
    (error: Error) => {
      if (visitor.peek() === undefined) notice.value = error.message
    },
  )
}

export const health = signal<Health | undefined>(undefined)
export const connection = signal<'connecting' | 'live' | 'lost'>('connecting')

/** Rises whenever something may have changed: each view then reads again. */
export const version = signal(0)

/** Streams end every few minutes and reconnect automatically. Only a longer break is shown. */
const LOST_AFTER_MS = 5_000

export function followStream(): void {
  let lost: ReturnType<typeof setTimeout> | undefined
  const connect = () => {
    const source = new EventSource('api/stream')
    const apply = ({ data }: MessageEvent<string>) => {
      clearTimeout(lost)
      lost = undefined
      connection.value = 'live'
      health.value = JSON.parse(data) as Health
    }
    // With each stream the visitor passes the door again: the session may be over, or somebody else's.
    source.addEventListener('open', loadVisitor)
    source.addEventListener('alive', apply)
    source.addEventListener('change', (event) => {
      apply(event)
      version.value++
    })
    source.addEventListener('error', () => {
      lost ??= setTimeout(() => (connection.value = 'lost'), LOST_AFTER_MS)
      // The browser does not reconnect after a refusal.
      if (source.readyState !== EventSource.CLOSED) return
      loadVisitor()
      setTimeout(connect, LOST_AFTER_MS)
    })
  }
  connect()
}
