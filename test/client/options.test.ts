import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { SwitchhookError } from '../../src/base/errors.ts'
import { VERSION } from '../../src/base/version.ts'
import { createClient } from '../../src/client/client.ts'
import { accepts, clientOn, TOKEN } from './stub.ts'

const send = { body: '{}', idempotencyKey: 'k' }

function refused(options: object): string {
  try {
    createClient({ baseUrl: 'https://service.example', accessToken: TOKEN, ...options })
  } catch (error) {
    expect((error as SwitchhookError).code).toBe('options_invalid')
    return (error as Error).message
  }
  return expect.unreachable('it was accepted')
}

describe('the base address', () => {
  it.each([
    ['https://service.example', 'https://service.example/api/v2/messages'],
    ['https://service.example/', 'https://service.example/api/v2/messages'],
    ['https://service.example/api/v2', 'https://service.example/api/v2/messages'],
    ['https://service.example/api/v2/', 'https://service.example/api/v2/messages'],
    ['https://proxy.example/msg/', 'https://proxy.example/msg/api/v2/messages'],
    ['http://127.0.0.1:4747', 'http://127.0.0.1:4747/api/v2/messages'],
    ['http://localhost:4747/', 'http://localhost:4747/api/v2/messages'],
    ['http://[::1]:4747', 'http://[::1]:4747/api/v2/messages'],
  ])('%s leads to %s [C GEN-01]', async (baseUrl, target) => {
    const { client, requests } = clientOn([accepts()], { baseUrl })
    await client.attempt(send)
    expect(requests[0]?.url).toBe(target)
  })

  it.each([
    ['http://service.example', 'must be https'],
    ['ftp://service.example', 'must be https'],
    ['service.example', 'expected a full address'],
    ['localhost:4747', 'http:// or https:// is missing'],
    ['', 'expected a full address'],
    [undefined, 'expected a full address'],
    ['https://service.example?token=x', 'query'],
    ['https://service.example#x', 'fragment'],
    ['https://me:hunter22@service.example', 'must not contain a user name'],
    ['https://service.example/api/v2/messages', 'must end in /api/v2'],
    ['https://service.example/api/v1', 'must not contain /api/v1'],
    ['https://service.example/api/v1/messages/', 'must not contain /api/v1'],
  ])('%s is refused, without its password [C GEN-01, C GEN-14, C AUTH-07, F-80]', (baseUrl, why) => {
    expect(refused({ baseUrl })).toContain(why)
    expect(refused({ baseUrl })).not.toContain('hunter22')
  })
})

describe('the token', () => {
  it.each([
    ['undefined', undefined],
    ['blank', ' '],
    ['a line break at its end', `${TOKEN}\n`],
    ['a control character', `${TOKEN}\x00`],
    ['an ellipsis', 'EAAGte…cdef'],
    ['a space', `${TOKEN} ${TOKEN}`],
    ['the word Bearer', `Bearer ${TOKEN}`],
  ])('is refused without being shown: %s [C AUTH-01, C AUTH-07, F-80]', (_, accessToken) => {
    const message = refused({ accessToken })
    expect(message).toContain('accessToken: ')
    expect(message).not.toContain('EAAG')
  })

  it('from a function is requested at every attempt [C AUTH-02]', async () => {
    const tokens = ['token-one', 'token-two']
    const { client, requests } = clientOn([accepts()], { accessToken: async () => tokens.shift() as string })
    await client.attempt(send)
    await client.attempt(send)
    expect(requests.map(({ headers }) => headers['Authorization'])).toEqual(['Bearer token-one', 'Bearer token-two'])
  })

  it.each([
    ['nothing', () => undefined as never],
    ['a blank string', () => ''],
    ['a token with a line break', () => `${TOKEN}\n`],
    ['an error', () => Promise.reject(new Error(`vault said ${TOKEN}`))],
  ])('from a function that returns %s ends the attempt before anything is sent [C AUTH-02]', async (_, accessToken) => {
    const { client, requests } = clientOn([accepts()], { accessToken })
    const error = await client.attempt(send).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'no_access_token', outcome: 'not_sent', retryable: false })
    expect(error).toMatchObject({ rule: { stops: 'queue' } })
    expect((error as Error).message).not.toContain('EAAG')
    expect(requests).toEqual([])
  })
})

describe('the other options', () => {
  it.each([
    ['phoneNumberId', { phoneNumberId: '' }],
    ['phoneNumberId', { phoneNumberId: 'a\r\nX-Evil: 1' }],
    ['maxRetries', { maxRetries: -1 }],
    ['maxRetries', { maxRetries: 1.5 }],
    ['timeout', { timeout: 'soon' }],
    ['deadline', { deadline: -1 }],
    ['fetch', { fetch: 'node' }],
  ])('%s is refused by name: %j [C GEN-01]', (name, options) => {
    expect(refused(options)).toContain(`${name}: expected`)
  })

  it('include the package and its version in the User-Agent [C GEN-02]', async () => {
    const { client, requests } = clientOn([accepts()])
    await client.attempt(send)
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
    expect(VERSION).toBe(version)
    expect(requests[0]?.headers['User-Agent']).toBe(`switchhook/${version}`)
  })
})
