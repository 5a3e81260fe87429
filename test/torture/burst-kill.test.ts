import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { createEmulator, type Emulator } from 'switchhook/emulator'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { freePort } from '../support/free-port.ts'
import type { Shown } from '../support/world.ts'
import { read } from '../store/sqlite-backend.ts'
import type { Point } from '../../tools/torture/app.ts'
import { type Harness, openHarness, SECRET } from '../../tools/torture/processes.ts'

const CUSTOMERS = Array.from({ length: 10 }, (_, n) => `2557120001${String(n).padStart(2, '0')}`)
const TEXTS = ['one', 'two', 'three']
const PATH = '/webhooks/messages'

describe('ten customers, each with three messages in a row', () => {
  let harness: Harness
  let emulator: Emulator
  let port: number
  /** How often all of them have written. */
  let rounds: number
  beforeEach(async () => {
    harness = openHarness()
    port = await freePort()
    rounds = 0
    emulator = await createEmulator({
      webhook: `http://127.0.0.1:${port}${PATH}`,
      secret: SECRET,
      assumptions: { retryAfterMs: [500, 1_500, 3_000], keysRememberedFor: '24h' },
    })
  })
  afterEach(async () => {
    await emulator.close()
    await harness[Symbol.asyncDispose]()
  })

  it('a process killed with SIGKILL around their replies: after the restart each burst is answered once, and whole [R DEL-03, F-47, F-65]', async () => {
    const points = ['recording', 'attempting', 'sent', 'replied'] as const satisfies Point[]
    const haltFor = Object.fromEntries(CUSTOMERS.map((customer, n) => [customer, points[n % points.length] as Point]))
    const first = await harness.launch({ port, emulator, haltFor, quiet: 500 })
    await write()
    await first.reported(({ kind }) => kind === 'at', CUSTOMERS.length)
    await first.end('SIGKILL')
    await harness.launch({ port, emulator, quiet: 500 })
    await everythingOnce()
  })

  /** All that the customers write, acknowledged. */
  async function write(): Promise<void> {
    rounds++
    await Promise.all(CUSTOMERS.flatMap((customer) => TEXTS.map((text) => emulator.customer(customer).says(text))))
    const written = rounds * CUSTOMERS.length * TEXTS.length
    await expect.poll(() => count("SELECT 1 FROM inbox WHERE kind = 'message'")).toBe(written)
  }

  const allDone = () => expect.poll(() => count('SELECT 1 FROM work')).toBe(0)

  async function everythingOnce(): Promise<void> {
    await allDone()
    await expect.poll(() => count("SELECT 1 FROM sends WHERE state <> 'accepted'")).toBe(0)
    const written = Array.from({ length: rounds }, () => TEXTS).flat()
    for (const customer of CUSTOMERS) expect(await saidTo(customer)).toEqual(written.toSorted())
  }

  /** The messages that the replies to a customer quote. Written at one moment, they may have come in any order. */
  async function saidTo(customer: string): Promise<string[]> {
    const thread = (await emulator.customer(customer).thread()) as readonly Pick<Shown, 'direction' | 'text'>[]
    const replies = thread.filter(({ direction }) => direction === 'OUTBOUND')
    // On a machine that stood still between two messages a customer has two bursts.
    return replies.flatMap(({ text }) => (text ?? '').replace('You said: ', '').split(' + ')).toSorted()
  }

  const count = (sql: string) => read(harness.database, sql).length

  /** Hands the service's posts to the processes in turn, and to another one if one is gone. */
  async function inTurns(urls: readonly string[]): Promise<AsyncDisposable> {
    let turn = 0
    const post = (nth: number, headers: [string, string][], body: Buffer) =>
      fetch(urls[nth % urls.length] ?? '', { method: 'POST', headers, body })
    const server = createServer((request, response) => {
      const nth = turn++
      const headers = Object.entries(request.headers).filter(([name]) => name.startsWith('x-')) as [string, string][]
      void buffer(request)
        .then((body) => post(nth, headers, body).catch(() => post(nth + 1, headers, body)))
        .then(async (answer) => response.writeHead(answer.status).end(await answer.text()))
        // Both are gone: the service delivers again.
        .catch(() => response.writeHead(503).end())
    })
    await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening))
    return {
      async [Symbol.asyncDispose]() {
        server.closeAllConnections()
        await new Promise((closed) => server.close(closed))
      },
    }
  }
})
