/** Bots of a few lines in their own processes, over one file and beside one emulator, for tests that kill them. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEmulator, type Emulator } from 'switchhook/emulator'
import { freePort } from '../support/free-port.ts'

export interface Bots extends AsyncDisposable {
  readonly emulator: Emulator
  readonly database: string
  readonly port: number
  /** Starts a bot; it has not said anything yet. */
  launch(args: readonly (string | number)[], environment?: Readonly<Record<string, string>>): ChildProcess
  /** Kills a bot, and resolves when it has ended. */
  kill(bot: ChildProcess): Promise<void>
  /** The texts that a customer got from the business. */
  replies(customer: string): Promise<(string | null)[]>
}

/**
 * @param script the bot's file in this folder.
 * @param o.posts the emulator posts to the port; otherwise the test does.
 */
export async function openBots(script: string, { posts = true } = {}): Promise<Bots> {
  const folder = mkdtempSync(join(tmpdir(), 'switchhook-bots-'))
  const database = join(folder, 'switchhook.db')
  const port = await freePort()
  const emulator = await createEmulator(posts ? { webhook: `http://127.0.0.1:${port}/webhooks/messages` } : {})
  const bots: ChildProcess[] = []
  return {
    emulator,
    database,
    port,
    launch(args, environment = {}) {
      const bot = fork(join(import.meta.dirname, script), args.map(String), {
        execArgv: ['--conditions=switchhook-source'],
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
        env: {
          ...process.env,
          SWITCHHOOK_BASE_URL: emulator.url,
          SWITCHHOOK_ACCESS_TOKEN: emulator.accessToken,
          SWITCHHOOK_SIGNING_SECRET: emulator.signingSecret,
          SWITCHHOOK_DATABASE: database,
          ...environment,
        },
      })
      bots.push(bot)
      return bot
    },
    kill,
    async replies(customer) {
      const thread = await emulator.customer(customer).thread()
      return thread.filter(({ direction, refused }) => direction === 'OUTBOUND' && !refused).map(({ text }) => text)
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(bots.map(kill))
      await emulator.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function kill(bot: ChildProcess): Promise<void> {
  if (bot.exitCode !== null || bot.signalCode !== null) return
  bot.kill('SIGKILL')
  await once(bot, 'exit')
}
