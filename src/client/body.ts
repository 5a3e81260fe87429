import type { Cut } from './cut.ts'
import type { Answer } from './call.ts'

/** No answer of the service comes near it; more is a mistake or an attack. */
const LARGEST_BYTES = 1_048_576

/** The body as text, at most 1 MiB of it; what is not read is cancelled, so that no socket hangs on it. */
export async function readCapped({ body }: Response, cut: Cut): Promise<Pick<Answer, 'text' | 'broken'>> {
  if (body === null) return { text: '', broken: undefined }
  const reader = body.getReader()
  const chunks: Uint8Array[] = []
  const text = () => new TextDecoder().decode(Buffer.concat(chunks))
  let room = LARGEST_BYTES
  try {
    for (;;) {
      const { done, value } = await cut.race(() => reader.read())
      if (done) return { text: text(), broken: undefined }
      room -= value.byteLength
      if (room < 0) break
      chunks.push(value)
    }
  } catch {
    reader.cancel().catch(() => {})
    return { text: text(), broken: cut.why() ?? 'connection' }
  }
  reader.cancel().catch(() => {})
  return { text: text(), broken: 'too_large' }
}
