import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

type Message = { url?: string; handling?: string; stopping?: boolean; stopped?: string; kept?: object }

/** A folder that is removed after the test. */
export function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'switchhook-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

/** A bot in a separate process, which is killed by its pid after the test. */
export async function forkBot(secret: string, database: string, program = 'bot.ts', ...args: string[]) {
  const child = fork(join(import.meta.dirname, 'child', program), [secret, database, ...args], {
    execArgv: ['--conditions=switchhook-source'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { PATH: process.env['PATH'] },
  })
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exited
  })
  const messages: Message[] = []
  child.on('message', (received) => messages.push(received as Message))

  /** Resolves with the first message that has this member; rejects if the process ends before it. */
  async function message<K extends keyof Message>(member: K): Promise<NonNullable<Message[K]>> {
    for (;;) {
      const found = messages.find((one) => one[member] !== undefined)?.[member]
      if (found !== undefined && found !== null) return found
      await Promise.race([
        once(child, 'message'),
        exited.then(() => Promise.reject(new Error('the process has ended'))),
      ])
    }
  }

  const url = new URL(await message('url'))
  return { child, exited, message, port: Number(url.port), path: url.pathname }
}
