import type { Log } from '../base/log.ts'
import type { Send } from '../reply/index.ts'

/** What happened, as far as it can be told without a payload: names and ids, a reason, a send. */
export interface Observed {
  event?: string
  deliveryId?: string
  number?: string
  reason?: string
  send?: Send
  /** What was thrown, such as by the handler whose attempt `failed`, or whose delivery is `dead` or `parked`. */
  error?: unknown
}

export const OBSERVABLE = [
  'accepted',
  'duplicate',
  'refused',
  'ignored',
  'quarantined',
  'handled',
  'failed',
  'dead',
  'parked',
  'send_accepted',
  'send_refused',
  'send_unknown',
  'send_held',
  'fell_back',
  'diverged',
  'alarm',
] as const

export type Observable = (typeof OBSERVABLE)[number]

/** Functions of the app by what they observe; they decide nothing. */
export type Hooks = { [K in Observable]?: (what: Observed) => void }

export interface Observers {
  add(hooks: Hooks): void
  tell(what: Observable, about: Observed): void
}

/** A hook that throws is the app's own trouble: it is logged, and nothing else changes. */
export function createObservers(log: Log): Observers {
  const all: Hooks[] = []
  const failed = (hook: Observable, error: unknown) => log.error({ err: error, hook }, 'a hook of observe() failed')
  return {
    add: (hooks) => void all.push(hooks),
    tell(what, about) {
      for (const hooks of all)
        try {
          // A hook may be async: what it makes of it is its own affair, and must not end the process.
          Promise.resolve<unknown>(hooks[what]?.(about)).catch((error: unknown) => failed(what, error))
        } catch (error) {
          failed(what, error)
        }
    },
  }
}
