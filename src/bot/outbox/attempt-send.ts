import { reasonOf, SwitchhookError, isA } from '../../base/errors.ts'
import { ApiError, type AttemptAccepted, type Client, type SendAttempt } from '../../client/client.ts'
import { watch } from '../watcher.ts'
import type { AttemptResult } from './outcome.ts'
import type { SendDeps } from './send-types.ts'
import type { SendRow } from '../../store/tables/outbox-tables.ts'

/** Makes one attempt at a send. `real`: its body if that must not be in its row, and its time-out. */
export async function attemptSend(send: SendRow, deps: SendDeps, real?: RealBody): Promise<AttemptResult> {
  return await watch(deps.watcher, ['send', send], () => attempt(send, deps, real))
}

export interface RealBody {
  readonly body: string
  readonly timeout: number
}

async function attempt(send: SendRow, deps: SendDeps, real: RealBody | undefined): Promise<AttemptResult> {
  const fallback = send.via === 'template' ? send.fallback : undefined
  const request = { body: bytesOf(send), idempotencyKey: fallback?.key ?? send.key, ...real }
  try {
    return await attemptWithToken(send.number, request, deps)
  } catch (error) {
    if (isA(error, ApiError)) return { error }
    if (isA(error, SwitchhookError) && WITHOUT_TOKEN.has(error.code)) return { withoutToken: error.message }
    deps.report.unexpectedError(send, error)
    return { unknown: reasonOf(error) }
  }
}

/** Errors before anything was sent: the number has no token, or its source does not answer. */
const WITHOUT_TOKEN: ReadonlySet<string> = new Set(['no_access_token', 'number_unavailable'])

/** Makes an attempt, and repeats it with the new token if the token has just changed. The bytes stay the same. */
async function attemptWithToken(
  number: string,
  request: SendAttempt & { readonly timeout?: number },
  deps: SendDeps,
): Promise<AttemptAccepted> {
  const beganAt = deps.clock.monotonic()
  const client = await clientOf(number, deps)
  try {
    return await client.attempt(request)
  } catch (error) {
    const other =
      isA(error, ApiError) && error.status === 401
        ? await deps.clientAfterRefusal?.(number, client, beganAt)
        : undefined
    if (!other) throw error
    const left = request.timeout && Math.max(1, request.timeout - (deps.clock.monotonic() - beganAt))
    return await other.attempt({ ...request, ...(left && { timeout: left }) })
  }
}

export function bytesOf(send: SendRow): string {
  return (send.via === 'template' && send.fallback?.body) || send.body
}

/** @throws SwitchhookError `no_access_token`, `number_unavailable` */
export async function clientOf(number: string, deps: Pick<SendDeps, 'client'>): Promise<Client> {
  const client = await deps.client(number)
  if (client) return client
  throw new SwitchhookError(
    'no_access_token',
    `number "${number}" has no access token, so nothing can be sent: set SWITCHHOOK_ACCESS_TOKEN or the option accessToken`,
  )
}
