import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { createEmulator } from '../../src/emulator/emulator.ts'
import { MATRIX } from '../../src/kit/verify/matrix/matrix.ts'
import { verifyReceiver } from '../../src/kit/verify/run.ts'
import { PATIENT } from '../kit/verify/receiver.ts'
import { freePort } from '../support/free-port.ts'
import { listening } from '../support/listening.ts'

/**
 * An example as a separate process beside an emulator, over a file or, in that part of the suite, over
 * PostgreSQL; its customer is Asha. A worker is a second process over the same database.
 */
export async function besideEmulator(file: string, o: Parameters<typeof createEmulator>[0] = {}, workerFile?: string) {
  const folder = mkdtempSync(join(tmpdir(), 'switchhook-example-'))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const emulator = await createEmulator({ webhook: `${url}/webhooks/messages`, ...o })
  const run = (program: string, env: NodeJS.ProcessEnv) =>
    spawn(process.execPath, ['--conditions=switchhook-source', program], {
      stdio: 'ignore',
      env: {
        ...process.env,
        SWITCHHOOK_BASE_URL: emulator.url,
        SWITCHHOOK_ACCESS_TOKEN: emulator.accessToken,
        SWITCHHOOK_SIGNING_SECRET: emulator.signingSecret,
        SWITCHHOOK_DATABASE: join(folder, 'bot.db'),
        ...env,
      },
    })
  const child = run(file, { PORT: String(port) })
  const worker = workerFile === undefined ? undefined : run(workerFile, { PORT: '0' })
  const asha = emulator.customer('255712000101')
  const texts = async () =>
    (await asha.thread()).filter((item) => item.direction === 'OUTBOUND' && !item.refused).map((item) => item.text)
  await listening(url)
  return {
    emulator,
    asha,
    url,
    texts,
    /** Resolves when the phone's last message is that. */
    last: (text: string) => expect.poll(async () => (await texts()).at(-1)).toBe(text),
    /** Asks it to end, and answers its exit code. */
    async end() {
      const ended = new Promise((done) => child.once('exit', done))
      child.kill('SIGTERM')
      return ended
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      worker?.kill('SIGKILL')
      await emulator.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Fires what depends on how an app mounts the receiver: times do not, and a busy machine is late for them. */
export async function expectConformance({
  url,
  emulator,
}: {
  readonly url: string
  readonly emulator: { readonly signingSecret: string }
}): Promise<void> {
  const mounted = MATRIX.filter(({ rules }) => !rules.includes('SIG-05'))
  const { verdicts } = await verifyReceiver({
    url: new URL(`${url}/webhooks/messages`),
    secret: emulator.signingSecret,
    only: new Set(mounted.map(({ id }) => id)),
    slowMs: 60_000,
    timers: PATIENT,
  })
  const fell = verdicts.filter(({ state }) => state !== 'passed')
  expect(fell.map(({ check, sent, came }) => ({ id: check.id, sent, came }))).toEqual([])
  expect(verdicts).toHaveLength(mounted.length)
}
