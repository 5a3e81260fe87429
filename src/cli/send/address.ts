import { SwitchhookError } from '../../base/errors.ts'
import type { Snapshot } from '../../emulator/index.ts'
import { environment } from '../environment.ts'
import { type RunningFlags, runningEmulator } from '../running-emulator.ts'
import type { ServiceFlags } from '../templates/service.ts'

export interface Address {
  readonly baseUrl: string
  readonly accessToken: string
  readonly phoneNumberId?: string | undefined
}

/** Where to and as whom: by flags and environment; where neither names an address, by the running emulator. */
export async function addressFrom(flags: ServiceFlags & RunningFlags): Promise<Address> {
  const baseUrl = flags.baseUrl ?? environment('SWITCHHOOK_BASE_URL')
  const accessToken = flags.token ?? environment('SWITCHHOOK_ACCESS_TOKEN')
  const phoneNumberId = environment('SWITCHHOOK_PHONE_NUMBER_ID')
  if (baseUrl === undefined) return ofEmulator(flags)
  if (accessToken !== undefined) return { baseUrl, accessToken, phoneNumberId }
  throw new SwitchhookError(
    'environment_missing',
    "the number's access token is needed: SWITCHHOOK_ACCESS_TOKEN, or --token",
  )
}

async function ofEmulator(flags: RunningFlags): Promise<Address> {
  const emulator = runningEmulator(flags)
  const { account } = await emulator.get<Snapshot>('state')
  const [first] = account.numbers
  if (first === undefined) throw new Error(`the emulator at ${emulator.url} has no number connected`)
  return { baseUrl: emulator.url, accessToken: first.token, phoneNumberId: first.id }
}
