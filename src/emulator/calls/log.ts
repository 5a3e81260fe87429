import type { Call } from './call.ts'

/** The latest calls of the API, in memory alone. */
export interface Calls {
  add(call: Call): void
  byId(id: string): Call | undefined
}

/** So many are kept, and no more than so many bytes of their bodies. */
const KEPT = 5_000
const KEPT_BYTES = 32 * 1_048_576

export function createCalls(): Calls {
  const calls = new Map<string, Call>()
  let bytes = 0
  const dropOldest = () => {
    const [oldest] = calls.values()
    if (oldest === undefined) return
    calls.delete(oldest.id)
    bytes -= sizeOf(oldest)
  }
  return {
    add(call) {
      calls.set(call.id, call)
      bytes += sizeOf(call)
      while (calls.size > KEPT || (bytes > KEPT_BYTES && calls.size > 1)) dropOldest()
    },
    byId: (id) => calls.get(id),
  }
}

function sizeOf({ request, answer }: Call): number {
  return request.body.length + answer.body.length
}
