import { createHmac } from 'node:crypto'
import { SIGNATURE_SCHEME, signedPrefix } from '../../contract/index.ts'

/** The signature of a body at a time, in Unix seconds (SIG-01). The emulator's own: it shares no code with a receiver. */
export function sign(body: Buffer, timestamp: string, secret: string): string {
  return SIGNATURE_SCHEME + createHmac('sha256', secret).update(signedPrefix(timestamp)).update(body).digest('hex')
}

/** Signatures carry wall time: receivers refuse any other, wherever the emulator's clock was moved. */
export function unixSeconds(wallMs: number): string {
  return String(Math.floor(wallMs / 1_000))
}
