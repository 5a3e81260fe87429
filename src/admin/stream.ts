import type { Timers } from '../base/clock.ts'
import type { Change } from './api.ts'
import { GUARDS, type PageAnswer, type StreamReader } from './http.ts'
import { changedSince, type Look } from './views/health.ts'

const LOOK_EVERY_MS = 1_000
/** A look is sent at least this often: the plots go on while nothing changes. */
const AT_LEAST_EVERY_MS = 5_000
/** The longest life of a stream: its reader passes the door again afterwards. Browsers ask anew by themselves. */
const LONGEST_MS = 5 * 60_000
/** Assumption: more people do not look at one process at a time. */
const MOST_READERS = 100
const ASK_ANEW_MS = 2_000

interface StreamDeps {
  /** A look at the bot; undefined if it is not started. */
  look(): Promise<Look | undefined>
  timers(): Timers
  /** Milliseconds since the epoch. */
  now(): number
}

interface Viewer {
  readonly reader: StreamReader
  readonly until: number
  /** The last look that was sent, and when. */
  seen: { readonly look: Look; readonly at: number } | undefined
}

/** One look at the store each second serves all who look on; while nobody does, nothing is read. */
export function createStreams({ look, timers, now }: StreamDeps): () => PageAnswer {
  const viewers = new Set<Viewer>()
  let cancel: (() => void) | undefined
  let looking = false

  function lookIn(ms: number): void {
    cancel?.()
    cancel = timers().after(ms, () => void tellAll())
  }

  async function tellAll(): Promise<void> {
    // The look that is under way serves whoever came meanwhile.
    if (looking) return
    looking = true
    const found = await look().catch(() => undefined)
    looking = false
    for (const viewer of viewers) {
      if (!found || now() >= viewer.until) leave(viewer, true)
      else tell(viewer, found)
    }
    if (viewers.size > 0) lookIn(LOOK_EVERY_MS)
  }

  function tell(viewer: Viewer, found: Look): void {
    // A slow reader misses looks, and is told of all changes by a later one.
    if (viewer.reader.isSlow()) return
    const { seen } = viewer
    const changed = changedSince(seen?.look, found)
    if (changed.length === 0 && seen && now() - seen.at < AT_LEAST_EVERY_MS) return
    viewer.seen = { look: found, at: now() }
    viewer.reader.write(
      `event: change\ndata: ${JSON.stringify({ health: found.health, changed } satisfies Change)}\n\n`,
    )
  }

  function leave(viewer: Viewer, end: boolean): void {
    viewers.delete(viewer)
    if (end) viewer.reader.end()
    if (viewers.size > 0) return
    cancel?.()
    cancel = undefined
  }

  function join(reader: StreamReader): () => void {
    const viewer: Viewer = { reader, until: now() + LONGEST_MS, seen: undefined }
    const [oldest] = viewers
    if (oldest && viewers.size >= MOST_READERS) leave(oldest, true)
    viewers.add(viewer)
    lookIn(0)
    return () => leave(viewer, false)
  }

  return () => ({
    status: 200,
    headers: {
      ...GUARDS,
      'content-type': 'text/event-stream; charset=utf-8',
      // Proxies and compression would keep events back.
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    },
    body: `retry: ${ASK_ANEW_MS}\n\n`,
    stream: join,
  })
}
