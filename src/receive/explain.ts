import { createSecretKey } from 'node:crypto'
import { parseJson } from '../base/value.ts'
import { SIGNATURE_FORM, SIGNATURE_SCHEME, TIMESTAMP_FORM, TIMESTAMP_TOLERANCE_SECONDS } from '../contract/index.ts'
import { type IncomingHeaders, isHeaders, lookUpHeader } from './http.ts'
import type { Keyring } from './keys.ts'
import { macOf, type Refused, type SignedHeaderNames } from './signature.ts'

interface RefusedDelivery {
  readonly headers: IncomingHeaders
  readonly body: Uint8Array
  readonly keyring: Keyring
  readonly names: SignedHeaderNames
  /** Wall time, ms. */
  readonly now: number
  readonly reason: Refused['reason']
}

/**
 * Finds the probable reason of a refusal by trying the usual mistakes, for the log of a developer's machine. Never used
 * for an answer nor in production, since it says what would have been right.
 */
export function explain(refused: RefusedDelivery): string | undefined {
  try {
    return probableReason(refused)
  } catch {
    // This body is unsigned, and JSON.stringify fails on deeply nested JSON: that must not become a 503.
    return undefined
  }
}

function probableReason(refused: RefusedDelivery): string | undefined {
  const { reason } = refused
  if (reason === 'missing') return otherPrefix(refused)
  if (reason === 'repeated') return 'a header of the signature stands twice: does a proxy add its own?'
  if (reason === 'stale') return skew(refused)
  return reason === 'mismatch' ? otherBytes(refused) : undefined
}

/** Headers such as `x-acme-signature` and `x-acme-timestamp` are a delivery of the service under its real prefix. */
function otherPrefix({ headers, names }: RefusedDelivery): string | undefined {
  for (const name of namesOf(headers)) {
    const prefix = /^(x-[a-z0-9-]+-)signature$/.exec(name)?.[1]
    if (prefix === undefined || name === names.signature || !lookUpHeader(headers, `${prefix}timestamp`)) continue
    return `the headers begin with "${prefix}": set headerPrefix (SWITCHHOOK_HEADER_PREFIX) to it`
  }
  return undefined
}

function skew({ headers, names, now }: RefusedDelivery): string {
  const seconds = Number(lookUpHeader(headers, names.timestamp))
  if (seconds > 1e11) return 'the timestamp is in milliseconds; the service signs Unix seconds'
  const off = Math.round(now / 1000 - seconds)
  return `the timestamp is ${Math.abs(off)} s ${off > 0 ? 'behind' : 'ahead of'} this machine's clock; ${TIMESTAMP_TOLERANCE_SECONDS} s are allowed`
}

function otherBytes({ headers, body, keyring, names }: RefusedDelivery): string | undefined {
  const signature = String(lookUpHeader(headers, names.signature))
  const timestamp = String(lookUpHeader(headers, names.timestamp))
  if (!SIGNATURE_FORM.test(signature) || !TIMESTAMP_FORM.test(timestamp)) return undefined
  const given = Buffer.from(signature.slice(SIGNATURE_SCHEME.length), 'hex')
  const signedBy = (secret: Buffer, bytes: Uint8Array) => macOf(createSecretKey(secret), timestamp, bytes).equals(given)

  for (const { subscription, key } of keyring.keys) {
    const secret = key.export()
    if (rewritten(body).some((bytes) => signedBy(secret, bytes)))
      return 'the body was read as JSON and written again on its way: hand over the exact bytes (mount before any parser, or keepRawBody)'
    if (misread(secret).some((other) => signedBy(other, body)))
      return `the secret of "${subscription}" has white space or quotes around it, or is encoded: copy it from the dashboard as it stands`
  }
  return 'no secret that this bot knows made this signature: is it another subscription’s, or an old one?'
}

/** The usual ways to serialise a parsed body again. */
function rewritten(body: Uint8Array): Buffer[] {
  const text = Buffer.from(body).toString('utf8')
  const json = parseJson(text.replace(/^\uFEFF/, ''))
  if (json === undefined) return [Buffer.from(text.trim())]
  const compact = JSON.stringify(json)
  const forms = [
    compact,
    JSON.stringify(json, null, 2),
    JSON.stringify(json, null, 4),
    spaced(compact),
    `${compact}\n`,
    text.trim(),
    escaped(compact),
    spaced(escaped(compact)),
  ]
  return [...new Set(forms)].map((form) => Buffer.from(form))
}

/** Some languages write JSON with a space behind each comma and colon outside strings. */
function spaced(compact: string): string {
  return compact.replace(/"(?:[^"\\]|\\.)*"|[,:]/g, (part) => (part === ',' || part === ':' ? `${part} ` : part))
}

/** Some languages escape all characters outside ASCII. */
function escaped(json: string): string {
  return json.replace(/[\u0080-\uffff]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** The same secret with white space or quotes around it, without its quotes, or decoded. */
function misread(secret: Buffer): Buffer[] {
  const text = secret.toString('utf8')
  const bare = text.replace(/^(["'])(.*)\1$/s, '$2')
  const forms = [bare, bare.trim(), `${text}\n`, `${text}\r\n`, ` ${text}`, `${text} `, `"${text}"`]
  const decoded = [Buffer.from(text, 'hex'), Buffer.from(text, 'base64')].filter((bytes) => bytes.length > 0)
  return [...forms.filter((form) => form !== text && form !== '').map((form) => Buffer.from(form)), ...decoded]
}

function namesOf(headers: IncomingHeaders): string[] {
  const names = isHeaders(headers) ? [...headers.keys()] : Object.keys(headers)
  return names.map((name) => name.toLowerCase())
}
