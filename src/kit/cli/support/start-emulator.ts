import { Option } from 'commander'
import { SwitchhookError } from '../../../base/errors.ts'
import { isLoopback } from '../../../base/host.ts'
import { DEFAULT_HEADER_PREFIX } from '../../../service/delivery.ts'
import { createEmulator, type Emulator } from '../../../emulator/emulator.ts'
import { readPort } from './arguments.ts'
import { DEFAULT_PORT } from './running-emulator.ts'
import { RefusedForSafety } from './exit.ts'
import { environment, type Io } from './io.ts'

const VARIABLE = 'SWITCHHOOK_EMULATOR_PORT'

/** The variable is for npm scripts: their users can set it without changing the script. */
export function portOption(): Option {
  return new Option('--port <port>', "the emulator's port on 127.0.0.1; 0 picks a free one")
    .argParser(readPort)
    .default(DEFAULT_PORT)
    .env(VARIABLE)
}

/** If the port is in use, the error names the flag and the variable for another port. */
export async function openEmulator(options: Parameters<typeof createEmulator>[0]): Promise<Emulator> {
  try {
    return await createEmulator(options)
  } catch (error) {
    if (!(error instanceof SwitchhookError && error.code === 'port_in_use')) throw error
    throw new SwitchhookError('port_in_use', `${error.message} Set ${VARIABLE}=4848, or pass --port 4848.`, {
      cause: error,
    })
  }
}

/** The variables for an app beside an emulator. They replace every variable that could name the real service. */
export async function appEnvironment(emulator: Emulator, database: string): Promise<Record<string, string>> {
  const { keysRememberedFor } = await emulator.assumptions.get()
  return {
    SWITCHHOOK_BASE_URL: emulator.url,
    SWITCHHOOK_ACCESS_TOKEN: emulator.accessToken,
    SWITCHHOOK_SIGNING_SECRET: emulator.signingSecret,
    SWITCHHOOK_PHONE_NUMBER_ID: emulator.phoneNumberId,
    SWITCHHOOK_HEADER_PREFIX: DEFAULT_HEADER_PREFIX,
    SWITCHHOOK_KEYS_REMEMBERED_FOR: keysRememberedFor === '24h' ? '24h' : 'until_settled',
    SWITCHHOOK_DATABASE: database,
    // Empty, so that the app may send to everybody: the emulator reaches no phone.
    SWITCHHOOK_ALLOWED_RECIPIENTS: '',
    // These two are for switchhook commands that the app's scripts run.
    SWITCHHOOK_EMULATOR: emulator.url,
    SWITCHHOOK_CONTROL_TOKEN: emulator.controlToken,
  }
}

/** An address that the command itself sets, such as `env SWITCHHOOK_BASE_URL=https://… node bot.js`. */
const ASSIGNED = /\bSWITCHHOOK_BASE_URL=["']?([^\s"']+)/

export function refuseLiveCommand(command: readonly string[]): void {
  const [, address] = ASSIGNED.exec(command.join(' ')) ?? []
  if (address === undefined || isLoopback(address)) return
  throw new RefusedForSafety(
    'the command sets SWITCHHOOK_BASE_URL to an address that is not this machine, so what the app sends would reach real phones: leave it out; the emulator sets it',
  )
}

export function isLiveEnvironment(io: Io): boolean {
  const address = environment(io, 'SWITCHHOOK_BASE_URL')
  return address !== undefined && !isLoopback(address)
}
