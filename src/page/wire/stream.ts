import { CONTROL } from './control.ts'
import type { Happening } from './happenings.ts'

export interface Stream {
  close(): void
}

const KINDS = [
  'api',
  'control',
  'thread',
  'handset',
  'window',
  'clock',
  'event',
  'delivery',
  'subscription',
  'agent',
  'resync',
] as const satisfies Happening['kind'][]
const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 3_000

/**
 * Everything as it happens, from the one after `lastId` on. It comes back by itself, and is closed while nobody
 * looks: a browser has few connections to one host for all of its tabs.
 */
export function openStream(o: {
  readonly lastId: () => string
  readonly heard: (happening: Happening) => void
  readonly live: (isLive: boolean) => void
}): Stream {
  let source: EventSource | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let waitMs = FIRST_WAIT_MS

  const close = () => {
    clearTimeout(timer)
    source?.close()
    source = undefined
  }

  const open = () => {
    close()
    source = new EventSource(`${CONTROL}stream?after=${encodeURIComponent(o.lastId())}`)
    source.addEventListener('open', () => {
      waitMs = FIRST_WAIT_MS
      o.live(true)
    })
    source.addEventListener('error', () => {
      o.live(false)
      close()
      timer = setTimeout(open, waitMs)
      waitMs = Math.min(LONGEST_WAIT_MS, waitMs * 2)
    })
    for (const kind of KINDS)
      source.addEventListener(kind, (event) => o.heard(JSON.parse((event as MessageEvent<string>).data) as Happening))
  }

  const look = () => (document.hidden ? close() : open())
  document.addEventListener('visibilitychange', look)
  look()
  return {
    close() {
      document.removeEventListener('visibilitychange', look)
      close()
    },
  }
}
