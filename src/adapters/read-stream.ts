import type { Body, BodyLimits } from '../receive/body.ts'

type Reader = { read(): Promise<{ done: boolean; value?: unknown }>; releaseLock(): void }

/**
 * Reads the exact bytes of a fetch `Request`. The declared length is refused early, the real one is counted.
 *
 * What is not read is left and not cancelled: hosts over node:http end the connection with a cancelled stream, and
 * the answer with it. Nothing more is pulled, so nothing more piles up.
 */
export function readStream(request: Request, limits: BodyLimits): Promise<Body> {
  // Of a body that somebody has begun to read, or has taken, the rest may never be let through.
  if (request.bodyUsed || request.body?.locked) return Promise.resolve({ problem: 'already_parsed' })
  if (Number(request.headers.get('content-length')) > limits.maxBytes) return Promise.resolve({ problem: 'too_large' })
  if (!request.body) return Promise.resolve({ bytes: new Uint8Array() })
  const reader: Reader = request.body.getReader()
  return new Promise((resolve) => {
    const cancel = limits.timers.after(limits.deadlineMs, () => {
      resolve({ problem: 'timeout' })
      reader.releaseLock()
    })
    void readAll(reader, limits.maxBytes).then((body) => {
      cancel()
      resolve(body)
      reader.releaseLock()
    })
  })
}

/** Ends when the reader is let go: what was being read then is refused to it. */
async function readAll(reader: Reader, maxBytes: number): Promise<Body> {
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return { bytes: Buffer.concat(chunks, length) }
      // Text is no bytes any more, and has no length that could be counted.
      if (!(value instanceof Uint8Array)) return { problem: 'already_parsed' }
      length += value.byteLength
      if (length > maxBytes) return { problem: 'too_large' }
      chunks.push(value)
    }
  } catch {
    return { problem: 'aborted' }
  }
}
