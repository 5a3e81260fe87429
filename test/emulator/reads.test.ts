import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CUSTOMER } from './support/api.ts'
import { type DocumentedWorld, documentedWorld } from './support/documented-world.ts'

/** These routes tell of the emulator alone, so that a program can see that it runs and how it behaves. */
const OPEN = ['', '/clock', '/assumptions']

interface Listed {
  readonly method: string
  readonly path: string
  readonly needsToken: boolean
}

describe('the reads of the control API', () => {
  let world: DocumentedWorld
  let reads: string[]
  beforeAll(async () => {
    world = await documentedWorld()
    const { CALL, DELIVERY } = await world.names()
    reads = [
      'customers',
      `customers/${CUSTOMER}/thread`,
      `customers/${CUSTOMER}/codes`,
      `customers/${CUSTOMER}/handset`,
      'agent',
      'events',
      'deliveries',
      `deliveries/${DELIVERY}`,
      'subscriptions',
      'templates',
      'faults',
      'keys',
      `calls/${CALL}`,
      'account',
      'timeline',
      'stream?after=',
      'credentials',
    ].map((path) => `/${path}`)
  })
  afterAll(() => world[Symbol.asyncDispose]())

  async function read(path: string, authorization?: string): Promise<{ status: number; code?: string; text: string }> {
    const leave = new AbortController()
    const response = await fetch(`${world.emulator.url}/_emulator${path}`, {
      headers: { ...(authorization !== undefined && { authorization }) },
      signal: leave.signal,
    })
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    // The stream never ends, so its first part is enough.
    const text = (await reader?.read())?.value ?? ''
    leave.abort()
    return { status: response.status, text, ...(response.status === 401 && { code: JSON.parse(text).code }) }
  }

  it('reveal no conversation to a program without the control token, and say where the token is', async () => {
    const { accessToken, controlToken } = world.emulator
    for (const path of reads)
      for (const given of [undefined, '', 'Bearer wrong', `Bearer ${accessToken}`, controlToken]) {
        const { status, code, text } = await read(path, given)
        expect([status, code], `${path} with ${given}`).toEqual([401, 'not_authorized'])
        expect(JSON.parse(text).message).toContain('.switchhook/dev.json')
        for (const secret of [CUSTOMER, controlToken, 'hours']) expect(text).not.toContain(secret)
      }
  })

  it('answer with it, only in the header', async () => {
    const { controlToken } = world.emulator
    for (const path of reads) {
      expect((await read(path, `Bearer ${controlToken}`)).status, path).toBe(200)
      const inAddress = `${path}${path.includes('?') ? '&' : '?'}token=${controlToken}`
      expect((await read(inAddress)).status, path).toBe(401)
    }
  })

  it('are open without it if they are only about the emulator, and no other route is', async () => {
    for (const path of OPEN) expect((await read(path)).status, path).toBe(200)
    const { items } = JSON.parse((await read('')).text) as { items: Listed[] }
    const open = items.filter(({ needsToken }) => !needsToken)
    expect(open.map(({ method, path }) => `${method} ${path}`)).toEqual(OPEN.map((path) => `GET /_emulator${path}`))
    for (const path of ['/nothing', '/clock/', '/Clock', '//clock', '/%63lock', '/clock/../timeline'])
      expect((await read(path)).status, path).toBe(401)
  })
})
