import type { Log } from '../base/log.ts'
import type { Send } from '../outbox/send.ts'

/** Describes an event of the bot without a payload: names and ids, a reason, a send. */
export interface Observed {
  event?: string
  /** Of a send: the delivery whose handler sent it. */
  deliveryId?: string
  /** Of a burst: the deliveries of all its messages, of which `deliveryId` is the last one. */
  deliveryIds?: readonly string[]
  number?: string
  reason?: string
  /** The route that took the item, or whose handler threw, such as `hears:book` or `conversation:booking:onEnd`. */
  route?: string
  /** Which attempt it was, at the item or at the send, from 1; absent if there was none. */
  attempt?: number
  /** For how long the delivery had waited when the attempt began, in milliseconds since it was received. */
  waitedMs?: number
  /**
   * How long it took, in milliseconds: a delivery from its headers to its answer, an attempt at an item with all its handlers,
   * an attempt at a send until the service answered, a commit.
   */
  durationMs?: number
  /** Of a commit: how many operations shared it. */
  operations?: number
  /** Of an act: the person, as `authorize` of the admin page named them; what they did; and how many it changed. */
  who?: string
  act?: string
  count?: number
  /** Its state after the event. */
  send?: Send
  /** Of a send: by which of its two bodies the attempt went out. */
  via?: 'freeform' | 'template'
  /** The error that was thrown, for instance by the handler of a `failed`, `dead` or `parked` delivery. It is not redacted. */
  error?: unknown
}

type Hook = (observed: Observed) => void

/** Functions of the app that observe the bot. They decide nothing, and none is awaited. */
export interface Hooks {
  /** A delivery was verified, stored and acknowledged. */
  accepted?: Hook
  /** A delivery came again; it is handled once. */
  duplicate?: Hook
  /** A request was refused: by 401 for its signature, or for its body, such as `too_large`; `reason` says why. */
  refused?: Hook
  /** No handler listens to this event, or none took the delivery. */
  ignored?: Hook
  /** A delivery is kept and not handled: its headers or its body cannot be understood. */
  quarantined?: Hook
  /** All handlers of an item have succeeded. */
  handled?: Hook
  /** An attempt failed, and there will be another. */
  failed?: Hook
  /** A delivery was given up; it is kept until a person retries it. */
  dead?: Hook
  /** A delivery waits until the payload's mapping is fixed; `reason` names the missing fact. */
  parked?: Hook
  /** The service accepted a send; statuses tell if it arrives. */
  send_accepted?: Hook
  /** The service refused a send; `reason` is its code. */
  send_refused?: Hook
  /** The outcome of a send is unknown, and it is not repeated any more. */
  send_unknown?: Hook
  /** An attempt at a send failed, and there will be another. */
  send_retried?: Hook
  /** A reply is not sent, since somebody else has the customer, or since it would come too late; `reason` says which. */
  send_skipped?: Hook
  /** A send waits with all sends of its number, until a person fixes the cause, or until the service accepts sends again. */
  send_held?: Hook
  /** The window was closed: the template goes out instead. */
  fell_back?: Hook
  /** A rerun gave another text under the same key; the recorded one stands. */
  diverged?: Hook
  /** A commit of the store is on disk, with all that was written at about the same time. */
  committed?: Hook
  /** A person did something by the admin page, had it show what is masked, or looked for a customer; `reason` says what, in words. */
  acted?: Hook
  /** A person should look at something. `reason` begins with a code: `store_unavailable`, `wrong_secret_suspected`, … */
  alarm?: Hook
}

export interface Observers {
  add(hooks: Hooks): void
  notify(hook: keyof Hooks, observed: Observed): void
}

/** A hook that throws changes nothing else: its error is logged. */
export function createObservers(log: Log): Observers {
  const all: Hooks[] = []
  const failed = (hook: keyof Hooks, error: unknown) => log.error({ err: error, hook }, 'a hook of observe() failed')
  return {
    add: (hooks) => void all.push(hooks),
    notify(hook, observed) {
      for (const hooks of all)
        try {
          const result: unknown = hooks[hook]?.(observed)
          // A hook may be async: an unhandled rejection would end the process.
          if (result !== undefined) Promise.resolve(result).catch((error: unknown) => failed(hook, error))
        } catch (error) {
          failed(hook, error)
        }
    },
  }
}
