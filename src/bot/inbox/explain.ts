import { createSecretKey } from 'node:crypto'
import { parseJson } from '../../base/value.ts'
import {
  SIGNATURE_FORM,
  SIGNATURE_SCHEME,
  TIMESTAMP_FORM,
  TIMESTAMP_TOLERANCE_SECONDS,
} from '../../service/delivery.ts'
import { type IncomingHeaders, isHeaders, lookUpHeader } from './http.ts'
import { type Keyring, macOf, type Refused, type SignedHeaderNames } from './signature.ts'

/** If body bytes × keys exceed this, nothing is explained: each key is tried many times, for anybody. */
const MOST_TRIED = 262_144

interface RefusedDelivery {
  readonly headers: IncomingHeaders
  readonly body: Uint8Array
  readonly keyring: Keyring
  readonly names: SignedHeaderNames
  /** Wall time in ms. */
  readonly now: number
  readonly reason: Refused['reason']
}

/** Finds the probable mistake behind a refusal. Only for a developer's log: it reveals what is right. */
export function explain(refused: RefusedDelivery): string | undefined {
  try {
    switch (refused.reason) {
      case 'missing':
        return otherPrefix(refused)
      case 'repeated':
        return 'a signature header is repeated: does a proxy add its own?'
      case 'stale':
        return skew(refused)
      case 'mismatch':
        return refused.body.byteLength * refused.keyring.keys.length > MOST_TRIED ? undefined : otherBytes(refused)
      default:
        return undefined
    }
  } catch {
    // Return undefined: JSON.stringify fails on deeply nested JSON, and an unsigned body must not cause a 503.
    return undefined
  }
}

/** Headers such as `x-acme-signature` and `x-acme-timestamp` belong to a delivery under another prefix. */
function otherPrefix({ headers, names }: RefusedDelivery): string | undefined {
  const all = isHeaders(headers) ? [...headers.keys()] : Object.keys(headers)
  for (const name of all.map((one) => one.toLowerCase())) {
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
    if (reserializations(body).some((bytes) => signedBy(secret, bytes)))
      return 'the body was parsed as JSON and serialized again: pass the exact bytes (mount before any parser, or use keepRawBody)'
    if (quoteVariants(secret).some((other) => signedBy(other, body)))
      return `the secret of "${subscription}" has extra or missing quotes or line breaks: copy it from the dashboard unchanged`
  }
  return 'no secret of this bot made this signature: is it the secret of another subscription, or an old one?'
}

function reserializations(body: Uint8Array): Buffer[] {
  const text = Buffer.from(body).toString('utf8')
  const json = parseJson(text.replace(/^\uFEFF/, ''))
  const forms = json === undefined ? [] : [JSON.stringify(json), JSON.stringify(json, null, 2)]
  return [text.trim(), ...forms.flatMap((form) => [form, `${form}\n`])].map((form) => Buffer.from(form))
}

function quoteVariants(secret: Buffer): Buffer[] {
  const text = secret.toString('utf8')
  return [text.replace(/^(["'])(.*)\1$/s, '$2'), `"${text}"`, `${text}\n`].map((form) => Buffer.from(form))
}
