import { Option } from 'commander'
import { SwitchhookError } from '../../base/errors.ts'
import { createEmulator, type Emulator } from '../../emulator/index.ts'
import { readPort } from './arguments.ts'
import { DEFAULT_PORT } from './running-emulator.ts'

const VARIABLE = 'SWITCHHOOK_EMULATOR_PORT'

/** The emulator's port. The variable helps if an npm script holds the command, so that no flag gets through. */
export function portOption(): Option {
  return new Option('--port <port>', "the emulator's port on 127.0.0.1; 0 takes a free one")
    .argParser(readPort)
    .default(DEFAULT_PORT)
    .env(VARIABLE)
}

/** Starts an emulator. If its port is taken, the error names the flag and the variable for another one. */
export async function openEmulator(options: Parameters<typeof createEmulator>[0]): Promise<Emulator> {
  try {
    return await createEmulator(options)
  } catch (error) {
    if (!(error instanceof SwitchhookError && error.code === 'port_in_use')) throw error
    throw new SwitchhookError('port_in_use', `${error.message} It is --port, or ${VARIABLE}.`, { cause: error })
  }
}
