import { SwitchhookError } from '../../../base/errors.ts'
import { isLoopback } from '../../../base/host.ts'
import { NoAnswerError } from '../../../client/client.ts'
import type { Credentials } from '../../../emulator/control/account-control.ts'
import type { ServiceFlags } from './arguments.ts'
import { runningEmulator, type RunningFlags } from './running-emulator.ts'
import { OutOfReach } from './exit.ts'
import { environment, type Io } from './io.ts'

interface ServiceAddress {
  readonly baseUrl: string
  readonly accessToken: string
  readonly phoneNumberId: string | undefined
  /** 0 for an emulator: one that does not answer is not running. */
  readonly maxRetries?: number
}

export async function serviceAddress(io: Io, flags: ServiceFlags & RunningFlags): Promise<ServiceAddress> {
  const baseUrl = flags.baseUrl ?? environment(io, 'SWITCHHOOK_BASE_URL')
  const accessToken = flags.token ?? environment(io, 'SWITCHHOOK_ACCESS_TOKEN')
  const phoneNumberId = environment(io, 'SWITCHHOOK_PHONE_NUMBER_ID')
  if (baseUrl === undefined) {
    const emulator = runningEmulator(io, flags)
    const credentials = await emulator.get<Credentials>('credentials')
    return { ...credentials, baseUrl: emulator.url }
  }
  if (accessToken !== undefined)
    return { baseUrl, accessToken, phoneNumberId, ...(isLoopback(baseUrl) && { maxRetries: 0 }) }
  throw new SwitchhookError(
    'environment_missing',
    "the number's access token is needed: SWITCHHOOK_ACCESS_TOKEN, or --token",
  )
}

/** Throws the error of a call to the service, or `OutOfReach` if no emulator listens at the address. */
export function rethrow(error: unknown, { baseUrl }: ServiceAddress): never {
  const isEmulator = error instanceof NoAnswerError && error.reason === 'connection' && isLoopback(baseUrl)
  if (!isEmulator) throw error
  throw new OutOfReach(`${error.message}; does the emulator run there? \`switchhook dev\` starts it`, error)
}
