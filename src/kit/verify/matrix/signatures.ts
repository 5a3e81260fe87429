import type { Check } from '../check.ts'
import type { Make, Shot } from '../shot.ts'

const FORM =
  'accept exactly /^sha256=[0-9a-fA-F]{64}$/, once, before you decode or compare; answer 401 to anything else'
const VERIFY =
  'compare the signature with the HMAC over timestamp, dot and body, and answer 401 if it is missing or differs'

const hexOf = (right: string) => right.slice('sha256='.length)
const wrong = (right: string) => right.replace(/.$/, (last) => (last === '0' ? '1' : '0'))

function signed(make: Make, forms: Readonly<Record<string, (right: string) => string | readonly string[]>>): Shot[] {
  return Object.entries(forms).map(([what, signature]) => make({ what, signature }))
}

/** The signature must be present once, right, and in its only form (SIG-01, SIG-04, SIG-08). */
export const SIGNATURES: readonly Check[] = [
  {
    id: 'signature-missing',
    rules: ['SIG-01', 'SIG-08'],
    says: 'a delivery without a signature is refused',
    expects: 'refused',
    fix: `${VERIFY}; let no path avoid that check`,
    shots: (make) => [
      ...signed(make, { 'no signature': () => [], 'an empty signature': () => '', 'sha256= alone': () => 'sha256=' }),
      make({
        what: 'no signature, ?challenge=1&ssl_check=1&test=1',
        signature: () => [],
        query: '?challenge=1&ssl_check=1&test=1',
      }),
    ],
  },
  {
    id: 'signature-wrong',
    rules: ['SIG-01'],
    says: 'a signature with another secret, over other bytes or with one changed digit is refused',
    expects: 'refused',
    fix: VERIFY,
    shots: (make) => {
      const [body, timestamp] = [make.message(), make.at()]
      return [
        make({ what: 'signed with another secret', secret: 'another-secret-of-verify' }),
        ...signed(make, { 'the last digit changed': wrong }),
        make({ what: 'signed with another time', body, timestamp, signedTimestamp: make.at(-1) }),
      ]
    },
  },
  {
    id: 'signature-empty-secret',
    rules: ['SIG-08'],
    says: 'a signature with an empty secret is refused',
    expects: 'refused',
    fix: 'refuse to start without a secret: an HMAC with an empty one is valid, and anybody can compute it',
    shots: (make) => [
      make({ what: 'signed with an empty secret', secret: '' }),
      make({ what: "signed with 'undefined'", secret: 'undefined' }),
    ],
  },
  {
    id: 'signature-repeated',
    rules: ['SIG-08'],
    says: 'a repeated signature is refused, as two headers and as one with a comma',
    expects: 'refused',
    fix: 'require exactly one signature header, and treat a comma in it as two',
    shots: (make) =>
      signed(make, {
        'the right one twice': (right) => [right, right],
        'the right one, then a wrong one': (right) => [right, wrong(right)],
        'a wrong one, then the right one': (right) => [wrong(right), right],
        'wrong, right': (right) => `${wrong(right)}, ${right}`,
        'right and a comma': (right) => `${right},`,
      }),
  },
  {
    id: 'signature-length',
    rules: ['SIG-04'],
    says: 'a signature of another length is refused without an internal error',
    expects: 'refused',
    fix: `${FORM}; timingSafeEqual throws if lengths differ, and a 500 counts as a failed delivery`,
    shots: (make) =>
      signed(make, {
        '1 digit': (right) => right.slice(0, 8),
        '62 digits': (right) => right.slice(0, -2),
        '63 digits': (right) => right.slice(0, -1),
        '4,000 digits': () => `sha256=${'a'.repeat(4_000)}`,
      }),
  },
  {
    id: 'signature-alphabet',
    rules: ['SIG-04'],
    says: 'a signature that is not hexadecimal is refused without an internal error',
    expects: 'refused',
    fix: `${FORM}; a non-ASCII letter has more than one byte, and timingSafeEqual throws`,
    shots: (make) =>
      signed(make, {
        '64 letters é': () => `sha256=${'é'.repeat(64)}`,
        '62 digits and zz': (right) => `${right.slice(0, -2)}zz`,
        base64: (right) => `sha256=${Buffer.from(hexOf(right), 'hex').toString('base64')}`,
      }),
  },
  {
    id: 'signature-text-behind',
    rules: ['SIG-04'],
    says: 'a right signature with text after it is refused',
    expects: 'refused',
    fix: `${FORM}; Buffer.from(text, 'hex') stops silently at the first other letter`,
    shots: (make) =>
      signed(make, {
        'zz after it': (right) => `${right}zz`,
        'two digits after it': (right) => `${right}00`,
        '=1 after it': (right) => `${right}=1`,
      }),
  },
  {
    id: 'signature-scheme',
    rules: ['SIG-04'],
    says: 'another scheme than sha256= is refused, whatever follows it',
    expects: 'refused',
    fix: `${FORM}; never let the header choose the algorithm`,
    shots: (make) => [
      ...signed(make, {
        'the digits without a scheme': hexOf,
        'SHA256=': (right) => `SHA256=${hexOf(right)}`,
        'md5= before the right digits': (right) => `md5=${hexOf(right)}`,
        'none=': () => 'none=',
      }),
      make({ what: 'sha1=, with a right SHA-1 signature', algorithm: 'sha1' }),
      make({ what: 'sha512=, with a right SHA-512 signature', algorithm: 'sha512' }),
    ],
  },
  {
    id: 'signature-upper-case',
    rules: ['SIG-04'],
    says: 'hexadecimal digits in upper case are the same signature',
    expects: 'acknowledged',
    fix: 'decode both signatures from hex before you compare them; do not compare them as texts',
    shots: (make) => signed(make, { 'digits in upper case': (right) => `sha256=${hexOf(right).toUpperCase()}` }),
  },
  {
    id: 'signature-untold',
    rules: ['AUTH-07'],
    says: 'no refusal reveals the secret or the right signature',
    expects: 'secretive',
    fix: 'answer each refusal with one constant body; the reason belongs in the log',
    shots: (make) => signed(make, { 'a wrong signature': wrong, 'no signature': () => [] }),
  },
]
