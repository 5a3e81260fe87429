import { FAILED } from '../../backtest/difference.ts'
import type { Recorded, Runs, WorldOptions } from '../../backtest/recording.ts'
import { refuseLiveCommand } from '../support/app-environment.ts'
import type { Io } from '../support/io.ts'
import { runApp } from './run-app.ts'

/**
 * Has the app play the deliveries twice, in two processes, so that what differs with itself can be told from what has
 * changed.
 *
 * @throws SwitchhookError `options_invalid` if it could not be played.
 */
export async function runTwice(
  io: Io,
  command: readonly string[],
  world: WorldOptions,
  deliveries: readonly Recorded[],
): Promise<Runs> {
  refuseLiveCommand(command)
  const first = await runApp(io, command, world, deliveries)
  return [first, await runApp(io, command, world, deliveries)]
}

/** Two versions that both fail at a delivery say nothing alike, so a report without a difference says little of it. */
export function warnOfFailed(io: Io, deliveries: readonly Recorded[], [{ played }]: Runs): void {
  const counts = FAILED.map((outcome) => [outcome, played.filter((one) => one.outcome === outcome).length] as const)
  const parts = counts.filter(([, count]) => count > 0).map(([outcome, count]) => `${count} ${outcome}`)
  const first = deliveries[played.findIndex(({ outcome }) => FAILED.includes(outcome))]
  if (first !== undefined)
    io.err(
      `Some failed with this code: ${parts.join(', ')}, first ${first.id}. What fails alike before and after counts as the same.`,
    )
}

/** Handlers that called something outside may have answered otherwise than they do in production. */
export function warnOfRefused(io: Io, runs: Runs): void {
  const calls = Object.entries(runs[0].refused).map(([host, times]) => `${host} (${times})`)
  if (calls.length > 0)
    io.err(`The app was kept from calling ${calls.join(', ')}: --allow HOST lets calls to that host through.`)
}
