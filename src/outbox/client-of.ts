import { SwitchhookError } from '../base/errors.ts'
import type { Client } from '../client/index.ts'
import type { SendDeps } from './types.ts'

/**
 * The client of a number.
 *
 * @throws SwitchhookError `no_access_token`, and `number_unavailable` as `SendDeps.client` throws it.
 */
export async function clientOf(number: string, deps: Pick<SendDeps, 'client'>): Promise<Client> {
  const client = await deps.client(number)
  if (client) return client
  throw new SwitchhookError(
    'no_access_token',
    `number "${number}" has no access token, so nothing can be sent: set SWITCHHOOK_ACCESS_TOKEN or the option accessToken`,
  )
}
