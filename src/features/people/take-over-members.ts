import type { Duration } from '../../base/duration.ts'

/** Somebody else has the customer. */
export interface Takeover {
  /** `person`: after `handOver`. `agent`: the service's own agent, after the customer typed `BOT`. */
  readonly by: 'person' | 'agent'
  readonly since: Date
  /** The end, unless `resume()` ends it earlier or another take-over prolongs it. */
  readonly until: Date
}

/**
 * Whether the service's own agent answers this customer. `active`: the customer requested it, and nothing was sent since.
 * `unknown`: otherwise, because the service does not show it.
 */
export interface Agent {
  readonly state: 'active' | 'unknown'
  /** True if the customer typed `BOT`, so the bot does not reply. */
  readonly asked: boolean
}

/** What a take-over adds to a message's context. */
export interface ShowsTakeover {
  /**
   * Who had the customer when the handler began; undefined if the bot had. Otherwise routes run only inside
   * `whileTakenOver`, for the message `BOT`, or with the option `takenOver: 'run'`.
   */
  readonly takenOver: Takeover | undefined
  /** Whether the service's own agent answers this customer. Each send pauses it (GEN-06). */
  readonly agent: Agent
}

/** What a take-over adds to a message's context, and to the handle of a customer. */
export interface HandsOver {
  /** A person answers this customer. Until the end of that time, routes do not run and replies are skipped. */
  handOver(o: { for: Duration }): Promise<void>
  /** Gives this customer back to the bot. Messages that arrived meanwhile are not handled afterwards. */
  resume(): Promise<void>
}

/** What a take-over adds to a bot's options. */
export interface TakenOverOption {
  /** While somebody else has the customer: `rest` (default) only stores messages, `run` runs routes without replies. */
  takenOver?: 'rest' | 'run'
}

/** What a take-over adds to a bot and `routes()`. */
export interface RoutesWhileTakenOver<R> {
  /**
   * Registers routes for messages that run only while a person or the service's agent has the customer.
   *
   *     bot.whileTakenOver((b) => b.hears('back', (ctx) => ctx.resume()))
   */
  whileTakenOver(register: (routes: R) => unknown): this
}
