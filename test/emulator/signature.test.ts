import { describe, expect, it } from 'vitest'
import { sign } from '../../src/emulator/deliver/sign.ts'
import { readFileSync } from 'node:fs'

interface Vector {
  readonly name: string
  readonly secret: string
  readonly timestamp: string
  readonly body_base64: string
  readonly signature: string
}

describe('the signature of a delivery', () => {
  it('E SIG-01 is what another implementation computes over the same bytes', () => {
    const file = new URL('../vectors/signature.json', import.meta.url)
    const { vectors } = JSON.parse(readFileSync(file, 'utf8')) as { vectors: Vector[] }
    for (const { name, body_base64, timestamp, secret, signature } of vectors)
      expect(sign(Buffer.from(body_base64, 'base64'), timestamp, secret), name).toBe(signature)
  })
})
