import { CONTROL_PATH } from './control.ts'
import type { Happening } from './happenings.ts'

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
 * Follows the emulator's stream of happenings, beginning after the one with the id `lastId()`. The stream reconnects by
 * itself. It closes while the tab is hidden: a browser allows few connections to one host across all tabs.
 */
export function openStream(o: {
  readonly lastId: () => string
  readonly onHappening: (happening: Happening) => void
  readonly onLive: (isLive: boolean) => void
}): void {
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
    source = new EventSource(`${CONTROL_PATH}stream?after=${encodeURIComponent(o.lastId())}`)
    source.addEventListener('open', () => {
      waitMs = FIRST_WAIT_MS
      o.onLive(true)
    })
    source.addEventListener('error', () => {
      o.onLive(false)
      close()
      timer = setTimeout(open, waitMs)
      waitMs = Math.min(LONGEST_WAIT_MS, waitMs * 2)
    })
    for (const kind of KINDS)
      source.addEventListener(kind, (event) =>
        o.onHappening(JSON.parse((event as MessageEvent<string>).data) as Happening),
      )
  }

  const followVisibility = () => (document.hidden ? close() : open())
  document.addEventListener('visibilitychange', followVisibility)
  followVisibility()
}
