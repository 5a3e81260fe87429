import { isLoopback } from '../base/loopback.ts'
import { environment } from './environment.ts'
import { RefusedForSafety } from './exit.ts'

/** An address in a command's own words, where it is not this machine: `env SWITCHHOOK_BASE_URL=https://… node bot.js`. */
const ASSIGNED = /\bSWITCHHOOK_BASE_URL=["']?([^\s"']+)/

/** Refuses to run a command beside an emulator that would send to the live service all the same. */
export function refuseLiveCommand(command: readonly string[]): void {
  const [, address] = ASSIGNED.exec(command.join(' ')) ?? []
  if (address === undefined || isLoopback(address)) return
  throw new RefusedForSafety(
    'the command sets SWITCHHOOK_BASE_URL to an address that is not this machine, so what the app sends would reach real phones: leave it out; the emulator sets it',
  )
}

/** Whether the environment is that of the live service. */
export function isLiveEnvironment(): boolean {
  const address = environment('SWITCHHOOK_BASE_URL')
  return address !== undefined && !isLoopback(address)
}
