import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEmulator } from 'switchhook/emulator'
import { expect, it } from 'vitest'
import { openSqlite } from '../../src/stores/sqlite/index.ts'
import { freePort } from '../support/free-port.ts'
import { ASHA } from '../support/people.ts'

it('a process that is killed between reply and settlement leaves the old session, and one reply [F-47, F-65]', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchhook-session-'))
  const database = join(folder, 'switchhook.db')
  const port = await freePort()
  const emulator = await createEmulator({ webhook: `http://127.0.0.1:${port}/webhooks/messages` })
  const replies = async () =>
    (await emulator.customer(ASHA).thread()).filter(({ direction }) => direction === 'OUTBOUND').map(({ text }) => text)
  const children: ChildProcess[] = []
  const launch = async (how: string) => {
    const child = fork(join(import.meta.dirname, 'session-bot.ts'), [how, String(port)], {
      execArgv: ['--conditions=switchhook-source'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: {
        ...process.env,
        SWITCHHOOK_BASE_URL: emulator.url,
        SWITCHHOOK_ACCESS_TOKEN: emulator.accessToken,
        SWITCHHOOK_SIGNING_SECRET: emulator.signingSecret,
        SWITCHHOOK_DATABASE: database,
      },
    })
    children.push(child)
    await once(child, 'message')
    return child
  }
  const read = async () => {
    const store = openSqlite(database)
    const found = (await store.customerOf('default', ASHA, 0)).session
    await store.close()
    return found?.value
  }
  try {
    const first = await launch('go')
    await emulator.customer(ASHA).says('one')
    await expect.poll(read).toBe('{"n":1}')
    await end(first)

    const killed = await launch('halt')
    const halted = once(killed, 'message')
    await emulator.customer(ASHA).says('two')
    await halted
    await end(killed)
    expect([await read(), await replies()]).toEqual(['{"n":1}', ['1', '2']])

    await launch('go')
    await expect.poll(read).toBe('{"n":2}')
    expect(await replies()).toEqual(['1', '2'])
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
