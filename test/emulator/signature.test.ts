import { describe, expect, it } from 'vitest'
import { sign } from '../../src/emulator/deliver/request.ts'

/** Computed with openssl: `openssl dgst -sha256 -mac HMAC` over `{timestamp}.` and the bytes. */
const VECTORS = [
  {
    name: 'spaced-json',
    secret: 'whsec_open_1',
    timestamp: '1763625600',
    body: 'eyAiaWQiIDogIm1zZ18xIiwNCgkidGV4dCIgOiAiSGFiYXJpIiB9Cg==',
    signature: 'sha256=ae2fee65e12ea4a9a6416bb9c69db98ac590f3275d321a898aae9ead9df6814d',
  },
  {
    name: 'empty-body',
    secret: 'whsec_open_1',
    timestamp: '1763625600',
    body: '',
    signature: 'sha256=2286e87997f1f7ab07c1c58a185a9c96dc7d0067fc13728e8b505c9c10a5e5a2',
  },
  {
    name: 'invalid-utf8',
    secret: 'whsec_open_1',
    timestamp: '1763625600',
    body: 'eyJpZCI6Iv/+In0=',
    signature: 'sha256=a4d4bc91a3699c23cd78faca6cd96d6ab5c4e1cb2bf329122e8c4f9d509c5746',
  },
  {
    name: 'unicode-secret',
    secret: 'siri-ya-ufunguo-é-🔑',
    timestamp: '1763625600',
    body: 'eyJpZCI6Im1zZ18zIn0=',
    signature: 'sha256=97aed1066107bf08dc4961052222a6ef8d25faa202c6b84944d56700e7b32e93',
  },
  {
    name: 'dot-in-body',
    secret: 'whsec_open_1',
    timestamp: '1763625600',
    body: 'LnsiaWQiOiJtc2dfNSJ9',
    signature: 'sha256=364f14e773847fcbbb19a28fd1d0a6619391396cae14210c7272de67afcaeca1',
  },
]

describe('the signature of a delivery', () => {
  for (const { name, body, timestamp, secret, signature } of VECTORS)
    it(`equals the one that another implementation computes over the same bytes: ${name} [E SIG-01]`, () => {
      expect(sign(Buffer.from(body, 'base64'), timestamp, secret)).toBe(signature)
    })
})
