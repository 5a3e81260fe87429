import { SwitchhookError } from '../base/errors.ts'
import type { Answer } from './answers.ts'
import type { Incoming } from './receive.ts'

/** What takes any bot: no handler's types in it, so that variance never bites. */
export interface AnyBot {
  readonly '~env'?: unknown
}

/** What stands behind a bot for whoever mounts it. */
export interface BotInternals {
  receive(incoming: Incoming): Promise<Answer>
  start(): Promise<void>
  /** `drained` runs when handling has ended and deliveries can still be stored: the moment to close a server. */
  stop(drained?: () => Promise<void>): Promise<void>
  /** Whether deliveries can be stored, as far as the last of them tells, and it is not about to stop. */
  ready(): boolean
}

const mounted = new WeakMap<AnyBot, BotInternals>()

/** Tells adapters what stands behind a bot; called once, where the bot is made. */
export function setInternals(bot: AnyBot, behind: BotInternals): void {
  mounted.set(bot, behind)
}

/** @throws SwitchhookError `options_invalid` where the value is no bot. */
export function internalsOf(bot: AnyBot): BotInternals {
  const found = mounted.get(bot)
  if (found) return found
  throw new SwitchhookError('options_invalid', 'expected a bot, as createBot() makes one')
}
