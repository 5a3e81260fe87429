import type { Log } from '../../base/log.ts'
import type { Send } from '../outbox/send.ts'

/** An event of the bot without its payload. */
export interface Observed {
  event?: string
  /** The delivery whose handler made this send. */
  deliveryId?: string
  /** The deliveries of messages that were handled as one. */
  deliveryIds?: readonly string[]
  number?: string
  reason?: string
  /** The route that handled the item or threw, such as `hears:book` or `conversation:booking:onEnd`. */
  route?: string
  /** From 1. */
  attempt?: number
  /** Milliseconds from the delivery's receipt until the attempt began. */
  waitedMs?: number
  /** Milliseconds: of a delivery from its headers to its answer, of an attempt at an item or a send, of a commit. */
  durationMs?: number
  /** How many operations shared a commit. */
  operations?: number
  /**
   * Who did something in the admin page (the name from `authorize`), what it was, and how many rows it changed. In the
   * alarm `lost_runs`, `count` is the number of runs.
   */
  who?: string
  act?: string
  count?: number
  /** The send's state after the event. */
  send?: Send
  /** The body that an attempt at a send used. */
  via?: 'freeform' | 'template'
  /** The error, for instance of the handler of a `failed`, `dead` or `parked` delivery. It is not redacted. */
  error?: unknown
}

type Hook = (observed: Observed) => void

/** Functions that observe the bot. They decide nothing, and the bot does not await them. */
export interface Hooks {
  /** A delivery was verified, stored and acknowledged. */
  accepted?: Hook
  /** A delivery arrived again. It is handled once. */
  duplicate?: Hook
  /** A request was refused, for its signature or its body. `reason` contains the cause. */
  refused?: Hook
  /** No handler is registered for this event, or none matched. */
  ignored?: Hook
  /** A message was stored and its routes did not run, because a person or the service's agent has its customer. */
  rested?: Hook
  /** A delivery is stored and not handled, because its headers or its body cannot be read. */
  quarantined?: Hook
  /** All handlers of an item have succeeded. */
  handled?: Hook
  /** An attempt failed, and there will be another one. */
  failed?: Hook
  /** A delivery was given up. It is kept until a person retries it. */
  dead?: Hook
  /** A delivery waits until the mapping is corrected. `reason` names the missing fact. */
  parked?: Hook
  /** The service accepted a send. Statuses report whether it arrives. */
  send_accepted?: Hook
  /** The service refused a send. `reason` is its code. */
  send_refused?: Hook
  /** The outcome of a send is unknown, and it is not repeated any more. */
  send_unknown?: Hook
  /** An attempt at a send failed, and there will be another one. */
  send_retried?: Hook
  /** A message is not sent: somebody else has the customer, it is too late, or the customer opted out. */
  send_skipped?: Hook
  /** A send waits with all sends of its number, until a person fixes the cause or the service accepts sends again. */
  send_held?: Hook
  /** The window was closed, so the template is sent instead. */
  fell_back?: Hook
  /** A rerun produced another text under the same key. The recorded one is used. */
  diverged?: Hook
  /** A commit of the store is on disk. It contains everything that was written at about the same time. */
  committed?: Hook
  /** An announcement began, was paused by an error, or ended. `reason` begins with `running`, `paused` or `done`. */
  announcement?: Hook
  /** A person did something in the admin page, or looked at masked data. `reason` describes it. */
  acted?: Hook
  /** A person should check something. `reason` begins with a code: `store_unavailable`, `wrong_secret_suspected`, … */
  alarm?: Hook
}

export interface Observers {
  add(hooks: Hooks): void
  notify(hook: keyof Hooks, observed: Observed): void
  /** Returns observers that also call `hooks`. */
  and(hooks: Hooks): Observers
}

/** A hook that throws has no other effect: its error is logged. */
export function createObservers(log: Log, more: () => readonly Hooks[] = () => []): Observers {
  const all: Hooks[] = []
  const each = () => [...more(), ...all]
  const failed = (hook: keyof Hooks, error: unknown) => log.error({ err: error, hook }, 'a hook of observe() failed')
  return {
    add: (hooks) => void all.push(hooks),
    notify(hook, observed) {
      for (const hooks of each())
        try {
          const result: unknown = hooks[hook]?.(observed)
          // A hook may be async, and an unhandled rejection would end the process.
          if (result !== undefined) Promise.resolve(result).catch((error: unknown) => failed(hook, error))
        } catch (error) {
          failed(hook, error)
        }
    },
    and(hooks) {
      const both = createObservers(log, each)
      both.add(hooks)
      return both
    },
  }
}
