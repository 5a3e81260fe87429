import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { keyFrom } from '../../src/client/client.ts'
import { oneTimeCode } from '../../src/service/one-time-code.ts'
import { accepts, clientOn, rejection } from './stub.ts'

const TO = '255712345678'

describe('keyFrom', () => {
  it('makes the same key as another program, and this one must never change [C IDEM-01]', () => {
    const digest = execFileSync('openssl', ['dgst', '-sha256', '-binary'], { input: '5:order4:77815:ready' })
    expect(keyFrom('order', 7781, 'ready')).toBe(`sh1_${digest.toString('base64url')}`)
    expect(keyFrom('order', '7781', 'ready')).toBe('sh1_nyh4lc1Nb0xvj6BprF89QE2Idd5jJZUrVKyjWlQAat8')
  })

  it('distinguishes lists of parts that look alike when joined [C IDEM-01]', () => {
    expect(keyFrom('a:b', 'c')).not.toBe(keyFrom('a', 'b:c'))
    expect(keyFrom('ab', '')).not.toBe(keyFrom('a', 'b'))
  })

  it('refuses empty and invalid parts [C IDEM-01]', () => {
    for (const parts of [[], [undefined], [Number.NaN], [{}]])
      expect(() => keyFrom(...(parts as string[]))).toThrow(expect.objectContaining({ code: 'options_invalid' }))
  })
})

describe('the key of a send', () => {
  it('is sent as the caller wrote it [C IDEM-01]', async () => {
    const { client, requests } = clientOn([accepts()])
    await client.messages.send(TO, 'hi', { idempotencyKey: 'order 7781/ready' })
    expect(requests[0]?.headers['Idempotency-Key']).toBe('order 7781/ready')
  })

  it('contains neither the recipient nor the code, because it is stored and logged elsewhere [C IDEM-01]', async () => {
    const { client, requests } = clientOn([accepts()])
    const phone = await rejection(client.messages.send(`+${TO}`, 'hi', { idempotencyKey: `ready-${TO}` }))
    const code = oneTimeCode('login_code', 'sw', '004711')
    const shown = await rejection(client.messages.send(TO, code, { idempotencyKey: 'login-004711' }))
    for (const error of [phone, shown]) expect(error).toMatchObject({ code: 'options_invalid' })
    expect(`${String(phone)} ${String(shown)}`).not.toMatch(/004711|255712345678/)
    expect(requests).toEqual([])
  })
})
