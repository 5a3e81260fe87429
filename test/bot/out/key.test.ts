import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { keyFrom } from '../../../src/client/client.ts'

describe('keys', () => {
  it('are derived only from number, cause and slot, like in another program [B IDEM-01]', () => {
    // printf '7:default16:message:5d0f2f0e12:hears:hours#1' | openssl dgst -sha256 -binary | base64, url-safe
    const digest = execFileSync('openssl', ['dgst', '-sha256', '-binary'], {
      input: '7:default16:message:5d0f2f0e13:hears:hours#1',
    })
    expect(keyFrom('default', 'message:5d0f2f0e', 'hears:hours#1')).toBe(`sh1_${digest.toString('base64url')}`)
  })

  it('are the same in every process and release, and this one must never change [B IDEM-01]', () => {
    expect(keyFrom('default', 'upstream:wamid.1', 'otherwise/reply#1')).toBe(
      'sh1_rt8bebZP0Q2irJhRzXZ2AXh3wY05GxDmti5rYLJmWtQ',
    )
  })
})
