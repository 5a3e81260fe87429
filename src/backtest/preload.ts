/**
 * Loaded by Node before the app, in each process of an app that a backtest starts: guards its network, and plays the bot
 * that it starts. The app's own code is as it stands.
 */
import { BACKTEST_VARIABLE, playWith } from '../app/backtesting.ts'
import type { Lifecycle } from '../app/lifecycle.ts'
import { optionsInvalid, reasonOf } from '../base/errors.ts'
import { exchangeIn } from './exchange.ts'
import { guardChildren } from './guard-children.ts'
import { guardNetwork } from './guard.ts'
import type { Play } from './play.ts'

const exchange = exchangeIn(process.env[BACKTEST_VARIABLE] ?? '')
const plan = exchange.plan()
const guard = guardNetwork(plan?.allow ?? [])
guardChildren(import.meta.url, { [BACKTEST_VARIABLE]: process.env[BACKTEST_VARIABLE] })
let taken = false

playWith(async (lifecycle) => {
  if (!plan) throw optionsInvalid(`${BACKTEST_VARIABLE}: there is nothing to play in this folder`)
  if (taken) throw optionsInvalid('a backtest plays one bot, and this app has started another one')
  taken = true
  // Imported now and not before: a package manager that starts the app is such a process too, and plays nothing.
  const { startPlaying } = await import('./play.ts')
  const play = await startPlaying(lifecycle as Lifecycle, { ...plan, deliveries: exchange.deliveries() })
  exchange.begin()
  // The app goes on with its start meanwhile, as it does beside a bot that works.
  setImmediate(() => void end(play))
})

async function end(play: Play): Promise<void> {
  try {
    exchange.reply({ run: { ...(await play()), refused: guard.refused() } })
  } catch (error) {
    exchange.reply({ failed: reasonOf(error) })
  }
  // The app's servers and timers would keep the process alive.
  process.exit(0)
}
