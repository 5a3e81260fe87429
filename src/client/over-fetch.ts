import { type Answer, LARGEST_BYTES, textOf } from './answer.ts'
import type { Deadline } from './deadline.ts'
import type { Transport } from './transport.ts'

/** Requests by a `fetch`, which need not obey the signal. */
export function overFetch(fetch: typeof globalThis.fetch): Transport {
  return async (target, { method, headers, body }, deadline) => {
    const request = {
      method,
      headers,
      redirect: 'manual',
      signal: deadline.signal,
      ...(body !== undefined && { body }),
    }
    const response = await deadline.race(
      () => fetch(target, request as RequestInit),
      (late) => late.body?.cancel(),
    )
    return { status: response.status, headers: response.headers, ...(await readCapped(response, deadline)) }
  }
}

/** The body as text, at most 1 MiB of it; the rest is cancelled, so that no socket stays open for it. */
async function readCapped({ body }: Response, deadline: Deadline): Promise<Pick<Answer, 'text' | 'broken'>> {
  if (body === null) return { text: '', broken: undefined }
  const reader = body.getReader()
  const chunks: Uint8Array[] = []
  let room = LARGEST_BYTES
  try {
    for (;;) {
      const { done, value } = await deadline.race(() => reader.read())
      if (done) return { text: textOf(chunks), broken: undefined }
      room -= value.byteLength
      if (room < 0) break
      chunks.push(value)
    }
  } catch {
    reader.cancel().catch(() => {})
    return { text: textOf(chunks), broken: deadline.passedBy() ?? 'connection' }
  }
  reader.cancel().catch(() => {})
  return { text: textOf(chunks), broken: 'too_large' }
}
