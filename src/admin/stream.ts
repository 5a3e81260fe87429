import type { Timers } from '../base/clock.ts'
import { GUARDS } from './http.ts'

const READ_EVERY_MS = 1_000
/** The state is sent at least this often, so that times move on while nothing changes. */
const AT_LEAST_EVERY_MS = 5_000
/** The longest life of a stream. Browsers reconnect automatically, and pass the door again. */
const LONGEST_MS = 5 * 60_000
/** Assumption: fewer people look at one process at a time. */
const MOST_READERS = 100
const RECONNECT_MS = 2_000

interface StreamDeps<State> {
  /** Undefined if the bot is not started. `mark` differs if anything differs that the page may show. */
  read(): Promise<{ readonly state: State; readonly mark: string } | undefined>
  timers(): Timers
  /** Milliseconds since the epoch. */
  now(): number
}

interface Viewer {
  readonly controller: ReadableStreamDefaultController<Uint8Array>
  readonly until: number
  sent: { readonly mark: string; readonly at: number } | undefined
}

/** Sends the state as server-sent events. One read each second serves all viewers; without a viewer nothing is read. */
export function createStreams<State>({ read, timers, now }: StreamDeps<State>): () => Response {
  const viewers = new Set<Viewer>()
  const encoder = new TextEncoder()
  let cancel: (() => void) | undefined
  let isReading = false

  function readIn(ms: number): void {
    cancel?.()
    cancel = timers().after(ms, () => void tellAll())
  }

  async function tellAll(): Promise<void> {
    // The read that is under way also serves viewers who joined meanwhile.
    if (isReading) return
    isReading = true
    const found = await read().catch(() => undefined)
    isReading = false
    for (const viewer of viewers) {
      if (!found || now() >= viewer.until) end(viewer)
      else tell(viewer, found)
    }
    if (viewers.size > 0) readIn(READ_EVERY_MS)
  }

  function tell(viewer: Viewer, { state, mark }: { readonly state: State; readonly mark: string }): void {
    const { controller, sent } = viewer
    // A slow reader misses states, and gets a later one.
    if ((controller.desiredSize ?? 0) < 0) return
    const isChanged = sent?.mark !== mark
    if (sent && !isChanged && now() - sent.at < AT_LEAST_EVERY_MS) return
    viewer.sent = { mark, at: now() }
    const event = isChanged ? 'change' : 'alive'
    controller.enqueue(encoder.encode(`event: ${event}\ndata: ${JSON.stringify(state)}\n\n`))
  }

  function leave(viewer: Viewer): void {
    viewers.delete(viewer)
    if (viewers.size > 0) return
    cancel?.()
    cancel = undefined
  }

  function end(viewer: Viewer): void {
    leave(viewer)
    viewer.controller.close()
  }

  function join(controller: ReadableStreamDefaultController<Uint8Array>): Viewer {
    const viewer: Viewer = { controller, until: now() + LONGEST_MS, sent: undefined }
    const [oldest] = viewers
    if (oldest && viewers.size >= MOST_READERS) end(oldest)
    viewers.add(viewer)
    controller.enqueue(encoder.encode(`retry: ${RECONNECT_MS}\n\n`))
    readIn(0)
    return viewer
  }

  return () => {
    let viewer: Viewer | undefined
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => void (viewer = join(controller)),
      cancel: () => viewer && leave(viewer),
    })
    const headers = {
      ...GUARDS,
      'Content-Type': 'text/event-stream; charset=utf-8',
      // Proxies and compression would delay events.
      'Cache-Control': 'no-store, no-transform',
      'X-Accel-Buffering': 'no',
    }
    return new Response(body, { headers })
  }
}
