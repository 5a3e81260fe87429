import type { Duration } from '../../base/duration.ts'

/** A person or the service's agent has the customer, and the bot rests. */
export interface Takeover {
  /** `person`: after `handOver`, or by an act at the desk. `agent`: the service's agent, after a customer's `BOT`. */
  readonly by: 'person' | 'agent'
  readonly since: Date
  /** The end of the take-over. `resume()` may end it earlier, and another take-over may prolong it. */
  readonly until: Date
}

/**
 * Whether the service's own agent answers this customer. `active`: the customer typed `BOT`, and the bot has sent
 * nothing since. `unknown`: otherwise, because the service does not tell.
 */
export interface Agent {
  readonly state: 'active' | 'unknown'
  /** True if the customer typed `BOT`, so the bot does not reply. */
  readonly asked: boolean
}

/** Members of a message's context. */
export interface ShowsTakeover {
  /**
   * Who had the customer when the handler began; undefined if the bot had. During a take-over, only the routes of
   * `whileTakenOver` run, unless the message is `BOT` or the option `takenOver` is `run`.
   */
  readonly takenOver: Takeover | undefined
  /** Whether the service's own agent answers this customer. Each send pauses the agent (GEN-06). */
  readonly agent: Agent
}

/** Members of a message's context and of `bot.to(customer)`. */
export interface HandsOver {
  /** Hands the customer over to a person for the time `for`. Meanwhile routes do not run and replies are skipped. */
  handOver(o: { for: Duration }): Promise<void>
  /** Gives this customer back to the bot. Messages that arrived meanwhile are not handled afterwards. */
  resume(): Promise<void>
}

/** A member of a bot's options. */
export interface TakenOverOption {
  /** During a take-over, `rest` (default) only stores messages, and `run` runs routes without replies. */
  takenOver?: 'rest' | 'run'
}

/** A member of a bot and of `routes()`. */
export interface RoutesWhileTakenOver<R> {
  /**
   * Registers routes that run only while a person or the service's agent has the customer.
   *
   *     bot.whileTakenOver((b) => b.hears('back', (ctx) => ctx.resume()))
   */
  whileTakenOver(register: (routes: R) => unknown): this
}
