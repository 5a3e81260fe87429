import type { BotInternals } from '../receive/bot-internals.ts'
import type { Answer } from '../receive/http.ts'

/** The answer to load balancers and probes: see `health` of the Express adapter. */
export function healthAnswer(internals: BotInternals): Answer {
  const ready = internals.ready()
  return {
    status: ready ? 200 : 503,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      status: ready ? 'ready' : 'unavailable',
      oldestWaitingSeconds: Math.floor(internals.waitedMs() / 1_000),
      role: internals.role(),
    }),
  }
}
