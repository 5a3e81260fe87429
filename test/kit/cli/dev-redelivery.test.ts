import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { redeliverToApp } from '../../../src/kit/cli/dev/dev.ts'
import { createEmulator, type Emulator } from '../../../src/emulator/emulator.ts'
import { freePort } from '../../support/free-port.ts'
import { ASHA } from '../../support/people.ts'
import { openReceiver } from './emulator-support.ts'
import { startSwitchhook } from './support.ts'

/** The service's own retries come when the test is long over. */
const assumptions = { retryAfterMs: [3_600_000] }

describe('a missed delivery', () => {
  it('arrives again as soon as an app listens at an address where none did', async () => {
    const port = await freePort()
    const webhook = `http://127.0.0.1:${port}/webhooks/messages`
    await using emulator = await createEmulator({ webhook, assumptions })
    using redelivery = redeliverToApp(emulator, webhook)
    redelivery.started()
    await emulator.customer(ASHA).says('hours')
    await emulator.deliveries.wait(({ attempts }) => attempts[0]?.error === 'connection_refused')
    const server = createServer((_, response) => response.end('{}')).listen(port, '127.0.0.1')
    try {
      const { attempts } = await emulator.deliveries.wait(({ state }) => state === 'delivered', 60_000)
      expect(attempts.at(-1)?.status).toBe(200)
    } finally {
      server.closeAllConnections()
      server.close()
    }
  })

  it('arrives again when the app has been restarted, and not while it keeps failing', async () => {
    const answers = [500, 200]
    await using receiver = await openReceiver(() => answers.shift() ?? 200, { careless: true })
    await using emulator = await createEmulator({ webhook: receiver.url, assumptions })
    using redelivery = redeliverToApp(emulator, receiver.url)
    await emulator.customer(ASHA).says('hours')
    await emulator.deliveries.wait(({ attempts }) => attempts.length === 1)
    expect(receiver.received).toHaveLength(1)
    redelivery.started()
    await emulator.deliveries.wait(({ state }) => state === 'delivered', 60_000)
    expect(receiver.received).toHaveLength(2)
  })

  it('is redelivered once, however often the app has been started', async () => {
    const looks: PromiseWithResolvers<boolean>[] = []
    const look = () => {
      looks.push(Promise.withResolvers<boolean>())
      return (looks.at(-1) as PromiseWithResolvers<boolean>).promise
    }
    let retries = 0
    const deliveries = { wait: () => new Promise<never>(() => {}), retry: async () => void retries++ }
    using redelivery = redeliverToApp({ deliveries } as unknown as Emulator, 'http://127.0.0.1:3000/', look)
    for (let starts = 0; starts < 5; starts++) redelivery.started()
    for (const { resolve } of looks) resolve(true)
    await expect.poll(() => retries).toBeGreaterThan(0)
    expect(retries).toBe(1)
  })

  it('reaches the app that `dev` has restarted', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'switchhook-again-'))
    try {
      const port = await freePort()
      const answers = (status: number) =>
        writeFileSync(
          join(folder, 'app.mjs'),
          `import { createServer } from 'node:http'
          createServer((_, response) => response.writeHead(${status}).end('{}', () => console.log('answered ${status}')))
            .listen(${port}, '127.0.0.1', () => console.log('up with ${status}'))`,
        )
      answers(500)
      const flags = ['--port', '0', '--webhook', `http://127.0.0.1:${port}/`, '--output', 'quiet']
      await using running = startSwitchhook(['dev', ...flags, '--', process.execPath, 'app.mjs'], {}, folder)
      await running.heard('stderr', /up with 500/)
      const note = JSON.parse(readFileSync(join(folder, '.switchhook/dev.json'), 'utf8')) as Record<string, string>
      const change = (method: string, path: string, body: object) =>
        fetch(`${note['url']}/_emulator/${path}`, {
          method,
          headers: { authorization: `Bearer ${note['controlToken']}`, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        })
      await change('PUT', 'assumptions', assumptions)
      await change('POST', `customers/${ASHA}/messages`, { text: 'hours' })
      await running.heard('stderr', /answered 500/)
      answers(200)
      await running.heard('stderr', /answered 200/)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
