import type { Timers } from '../../base/clock.ts'
import { type HttpAnswer, type HttpRequest, refuse } from '../http/messages.ts'
import type { Happening, Happenings } from './happenings.ts'

/** A sign of life, so that nobody on the way takes the connection for a dead one. */
const BEAT_MS = 15_000

/**
 * Server-sent events: what was missed since `Last-Event-ID` (or `?after=`; empty: since the beginning), then everything as it
 * happens. Where what was missed is not known any more, a `resync` comes first.
 */
export function stream(happenings: Happenings, timers: Timers, request: HttpRequest): HttpAnswer {
  if (request.method !== 'GET') throw refuse(405, 'method_not_allowed', 'The method must be GET.', { Allow: 'GET' })
  // A browser sends the header when it comes back; for its first time it has the query alone.
  const header = request.headers['last-event-id']
  const lastId = typeof header === 'string' ? header : (request.query.get('after') ?? undefined)
  return {
    status: 200,
    body: '',
    headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' },
    stream(write) {
      write(': this is an emulator\n\n')
      for (const missed of missedSince(happenings, lastId)) write(frame(missed))
      const forget = happenings.watch((happening) => write(frame(happening)))
      let stopBeat = () => {}
      const beat = () => {
        stopBeat = timers.after(BEAT_MS, () => {
          write(':\n\n')
          beat()
        })
      }
      beat()
      return () => {
        forget()
        stopBeat()
      }
    },
  }
}

function missedSince(happenings: Happenings, lastId: string | undefined): readonly Happening[] {
  if (lastId === undefined) return []
  return lastId === '' ? happenings.kept() : (happenings.since(lastId) ?? [happenings.resync()])
}

/** JSON has no line ends but escaped ones: so one `data:` line is enough, whatever a customer writes. */
function frame(happening: Happening): string {
  return `id: ${happening.id}\nevent: ${happening.kind}\ndata: ${JSON.stringify(happening)}\n\n`
}
