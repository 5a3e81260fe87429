import type { ApiError } from './api-error.ts'
import type { Attempt, Call } from './call.ts'
import { keyHash } from './key.ts'
import type { AttemptReport } from './options.ts'
import type { Settings } from './settings.ts'

/** Runs one attempt and tells `onAttempt` how it ended. */
export async function reported<T extends { readonly raw: { readonly status: number } }>(
  { onAttempt, now }: Settings,
  { call, attempt }: { call: Call; attempt: Attempt },
  run: () => Promise<T>,
): Promise<T> {
  const began = now()
  const tell = (how: Pick<AttemptReport, 'status' | 'code' | 'outcome'>) => {
    const { method, path, idempotencyKey } = call
    try {
      onAttempt({
        method,
        path,
        attempt: attempt.nth,
        ...how,
        ms: now() - began,
        idempotencyKeyHash: keyHash(idempotencyKey),
      })
    } catch {
      // A listener that fails must not make an accepted message look like one that was not.
    }
  }
  try {
    const value = await run()
    tell({ status: value.raw.status, code: undefined, outcome: call.method === 'POST' ? 'accepted' : 'read' })
    return value
  } catch (error) {
    const { status, code, outcome } = error as Partial<ApiError>
    tell({ status, code, outcome: outcome ?? 'not_sent' })
    throw error
  }
}
