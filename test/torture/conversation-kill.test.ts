import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEmulator } from 'switchhook/emulator'
import { expect, it } from 'vitest'
import { openReader } from '../../src/stores/sqlite/reader.ts'
import { freePort } from '../support/free-port.ts'
import { ASHA } from '../support/people.ts'

const DIALOGUE = [
  ['book', ['Day?']],
  ['Monday', ['booked Monday', 'Name?']],
  ['Asha', ['sure? Asha']],
] as const

it('a conversation whose process is killed behind each operation of each step says each thing once, and nothing else [F-47, F-65]', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchhook-conversation-'))
  const database = join(folder, 'switchhook.db')
  const port = await freePort()
  const emulator = await createEmulator({ webhook: `http://127.0.0.1:${port}/webhooks/messages` })
  const replies = async () =>
    (await emulator.customer(ASHA).thread()).filter(({ direction }) => direction === 'OUTBOUND').map(({ text }) => text)
  let child: ChildProcess | undefined
  const launch = async (haltsAfter: number) => {
    child = fork(join(import.meta.dirname, 'conversation-bot.ts'), [String(port), String(haltsAfter)], {
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
    const said = new Set<unknown>()
    child.on('message', (message) => void said.add(message))
    await expect.poll(() => said.size).toBeGreaterThan(0)
    return () => said.has('halted')
  }
  const isSettled = async () => {
    const reader = openReader(database)
    const { items } = await reader.counts()
    await reader.close()
    return items['done'] === handled
  }
  const expected: string[] = []
  let kills = 0
  let handled = 0
  try {
    for (const [text, answers] of DIALOGUE) {
      expected.push(...answers)
      handled++
      // Each process comes one operation further than the one before, and so does its kill.
      for (let after = 1; ; after++) {
        const hasHalted = await launch(after)
        if (after === 1) await emulator.customer(ASHA).says(text)
        await expect.poll(async () => hasHalted() || (await isSettled())).toBe(true)
        const wasKilled = hasHalted()
        await end(child)
        if (!wasKilled) break
        kills++
      }
    }
    expect(await replies()).toEqual(expected)
    expect(kills).toBeGreaterThan(5)
  } finally {
    await end(child)
    await emulator.close()
    rmSync(folder, { recursive: true, force: true })
  }
})

async function end(child: ChildProcess | undefined): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}
