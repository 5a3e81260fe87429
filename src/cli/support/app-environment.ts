import { isLoopback } from '../../base/host.ts'
import { DEFAULT_HEADER_PREFIX } from '../../contract/delivery.ts'
import type { Emulator } from '../../emulator/index.ts'
import { RefusedForSafety } from './exit.ts'
import { environment, type Io } from './io.ts'

/** What an app beside an emulator finds in its environment; nothing of the live service is left there. */
export function appEnvironment(emulator: Emulator, database: string): Record<string, string> {
  return {
    SWITCHHOOK_BASE_URL: emulator.url,
    SWITCHHOOK_ACCESS_TOKEN: emulator.accessToken,
    SWITCHHOOK_SIGNING_SECRET: emulator.signingSecret,
    SWITCHHOOK_PHONE_NUMBER_ID: emulator.phoneNumberId,
    SWITCHHOOK_HEADER_PREFIX: DEFAULT_HEADER_PREFIX,
    SWITCHHOOK_DATABASE: database,
    // Nobody is named: the emulator's customers are all that can be reached.
    SWITCHHOOK_ALLOWED_RECIPIENTS: '',
    // For the commands of this program that the app's scripts may call.
    SWITCHHOOK_EMULATOR: emulator.url,
    SWITCHHOOK_CONTROL_TOKEN: emulator.controlToken,
  }
}

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
export function isLiveEnvironment(io: Io): boolean {
  const address = environment(io, 'SWITCHHOOK_BASE_URL')
  return address !== undefined && !isLoopback(address)
}
