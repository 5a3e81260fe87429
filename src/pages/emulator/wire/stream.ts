import { effect } from '@preact/signals'
import { readEventData } from '../../../emulator/http/event-stream.ts'
import { ask, controlToken, tokenMissing } from './control.ts'
import type { Happening } from './happenings.ts'

const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 3_000

interface StreamOptions {
  readonly lastId: () => string
  readonly onHappening: (happening: Happening) => void
  readonly onLive: (isLive: boolean) => void
}

/**
 * Follows the emulator's stream of happenings after the id `lastId()`. Reconnects automatically, after a refused token
 * with the next one. Closes while the tab is hidden, because a browser allows few connections to one host across all
 * tabs.
 */
export function openStream(o: StreamOptions): void {
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
    void follow(open.signal)
  }
  const follow = async (signal: AbortSignal) => {
    const connected = () => {
      waitMs = FIRST_WAIT_MS
      o.onLive(true)
    }
    // A stream breaks whenever the emulator stops.
    await readStream(o, signal, connected).catch(() => undefined)
    if (signal.aborted) return
    o.onLive(false)
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

/** Uses fetch, because an EventSource cannot send the token in a header. */
async function readStream(o: StreamOptions, signal: AbortSignal, connected: () => void): Promise<void> {
  const answer = await ask('stream', { signal, headers: { 'Last-Event-ID': o.lastId() } })
  connected()
  for await (const data of readEventData(answer))
    if (data !== undefined && !signal.aborted) o.onHappening(JSON.parse(data) as Happening)
}
