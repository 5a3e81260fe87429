import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEmulator } from 'switchhook/emulator'
import { expect, it } from 'vitest'
import { freePort } from '../support/free-port.ts'

it('a process that is killed between the settlement of a failed send and its handler leaves the handler to the next one, once [F-107]', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchhook-failed-send-'))
  const port = await freePort()
  const emulator = await createEmulator({ webhook: `http://127.0.0.1:${port}/webhooks/messages` })
  const children: ChildProcess[] = []
  const said: unknown[] = []
  const launch = (how: 'send' | 'go') => {
    const child = fork(join(import.meta.dirname, 'failed-send-bot.ts'), [how, String(port)], {
      execArgv: ['--conditions=switchhook-source'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: {
        ...process.env,
        SWITCHHOOK_BASE_URL: emulator.url,
        SWITCHHOOK_ACCESS_TOKEN: emulator.accessToken,
        SWITCHHOOK_SIGNING_SECRET: emulator.signingSecret,
        SWITCHHOOK_DATABASE: join(folder, 'switchhook.db'),
      },
    })
    children.push(child)
    child.on('message', (message) => said.push(message))
    return child
  }
  try {
    await emulator.faults.set([{ on: 'send', do: 'status', status: 422, next: 1 }])
    const killed = launch('send')
    await expect.poll(() => said).toEqual(['listening', 'settled'])
    await end(killed)

    launch('go')
    await expect.poll(() => new Set(said.slice(2))).toEqual(new Set(['listening', 'refused 7781 validation_error']))
  } finally {
    await Promise.all(children.map((child) => end(child)))
    await emulator.close()
    rmSync(folder, { recursive: true, force: true })
  }
})

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}
