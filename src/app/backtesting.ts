import { optionsInvalid } from '../base/errors.ts'

/** Set in the process of an app that a backtest has started: the folder of what is to be played. */
export const BACKTEST_VARIABLE = 'SWITCHHOOK_BACKTEST'

/** Plays a bot, given its lifecycle, in a world of its own. Resolves when the bot runs there. */
export type Player = (lifecycle: object) => Promise<void>

let player: Player | undefined

/** Called before the app's code, by the module that `switchhook backtest` has Node load first. */
export function playWith(given: Player): void {
  player = given
}

export function isBacktesting(environment: NodeJS.ProcessEnv): boolean {
  return Boolean(environment[BACKTEST_VARIABLE])
}

/**
 * The player of this process; undefined if it plays no backtest.
 *
 * @throws SwitchhookError `options_invalid` if it is to play one and cannot: such a bot must not start as usual, since it
 * would speak to the service.
 */
export function playerHere(environment: NodeJS.ProcessEnv): Player | undefined {
  if (!isBacktesting(environment)) return undefined
  if (player) return player
  throw optionsInvalid(
    `${BACKTEST_VARIABLE} is set, and the command that set it is of another copy of switchhook than this bot, or its NODE_OPTIONS were taken away: run the app's own copy, as npx switchhook does in its folder`,
  )
}
