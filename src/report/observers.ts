import type { Log } from '../base/log.ts'
import type { Send } from '../outbox/index.ts'

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

type Hook = (what: Observed) => void

/** Functions of the app by what they observe; they decide nothing, and none is waited for. */
export interface Hooks {
  /** A delivery was verified, stored and acknowledged. */
  accepted?: Hook
  /** It came again, and is handled once. */
  duplicate?: Hook
  /** A request was turned away with 401; `reason` says which check failed. */
  refused?: Hook
  /** No handler is for this event, or none took it. */
  ignored?: Hook
  /** Kept and not handled: its headers or its body cannot be understood. */
  quarantined?: Hook
  /** All handlers of an item have ended well. */
  handled?: Hook
  /** An attempt has failed, and there will be another. */
  failed?: Hook
  /** Given up; kept until a person puts it back. */
  dead?: Hook
  /** Kept until the payload's mapping is mended; `reason` names the fact that is missing. */
  parked?: Hook
  /** The service took a send; whether it arrives is told by statuses. */
  send_accepted?: Hook
  /** The service will not take it; `reason` is its code. */
  send_refused?: Hook
  /** Whether it went out is not known, and it is not repeated any more. */
  send_unknown?: Hook
  /** The queue of its number waits: a person, or time, has to mend something. */
  send_held?: Hook
  /** The window was closed: its template goes out in its place. */
  fell_back?: Hook
  /** A rerun asked for another text under the same key; the recorded one stands. */
  diverged?: Hook
  /** Somebody should look. `reason` begins with a code: `store_unavailable`, `wrong_secret_suspected`, … */
  alarm?: Hook
}

export type Observable = keyof Hooks

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
