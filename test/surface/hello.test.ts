import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createEmulator } from '../../src/emulator/emulator.ts'
import { listening } from '../support/listening.ts'

const ASHA = '255712000101'
const portIsFree = await new Promise<boolean>((resolve) => {
  const probe = createServer().once('error', () => resolve(false))
  probe.listen(3000, () => probe.close(() => resolve(true)))
})
if (!portIsFree) console.warn('SKIPPED: hello.ts listens at port 3000, and something else does already')

it.skipIf(!portIsFree)('runs the first bot of the guide unchanged, with everything from the environment', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchhook-hello-'))
  const emulator = await createEmulator({ webhook: 'http://127.0.0.1:3000/webhooks/messages' })
  const child = spawn(process.execPath, ['--conditions=switchhook-source', join(import.meta.dirname, 'hello.ts')], {
    stdio: 'ignore',
    env: {
      ...process.env,
      SWITCHHOOK_BASE_URL: emulator.url,
      SWITCHHOOK_ACCESS_TOKEN: emulator.accessToken,
      SWITCHHOOK_SIGNING_SECRET: emulator.signingSecret,
      SWITCHHOOK_DATABASE: join(folder, 'hello.db'),
    },
  })
  const asha = emulator.customer(ASHA)
  const replies = async () =>
    (await asha.thread()).filter((item) => item['direction'] === 'OUTBOUND').map((item) => item['text'])
  try {
    await listening('http://127.0.0.1:3000/')
    await asha.says('SAA')
    await expect.poll(replies).toEqual(['9 to 17'])
    await asha.says('what?')
    await expect.poll(replies).toEqual(['9 to 17', 'How can we help?'])
    await asha.taps('track')
    await expect.poll(async () => (await replies()).at(-1)).toBe('On its way')
    const ended = new Promise((resolve) => child.once('exit', (code) => resolve(code)))
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
  } finally {
    child.kill('SIGKILL')
    await emulator.close()
    rmSync(folder, { recursive: true, force: true })
  }
})
