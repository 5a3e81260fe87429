import { mkdirSync } from 'node:fs'
import type { Command } from 'commander'
import { createEmulator, type Emulator } from '../../emulator/index.ts'
import { runApp } from '../dev/app.ts'
import { HELP, openPhone } from '../dev/phone.ts'
import { environment } from '../environment.ts'
import { EXIT } from '../exit.ts'
import { DEFAULT_PORT, DEFAULT_WEBHOOK, readPort } from './emulator.ts'
import { untilStopped } from '../signals.ts'

interface DevFlags {
  readonly port: number
  readonly webhook: string
  readonly customer: string
}

const FOLDER = '.switchhook'

/** `switchhook dev -- cmd`: the emulator, the app beside it, and a phone in the terminal. */
export function addDev(program: Command): void {
  program
    .command('dev')
    .description('run the emulator and your app beside it; in a terminal you are the customer')
    .argument('[command...]', 'how the app is started, after --')
    .option('--port <port>', "the emulator's port on 127.0.0.1; 0 takes a free one", readPort, DEFAULT_PORT)
    .option('--webhook <url>', "the app's endpoint", DEFAULT_WEBHOOK)
    .option('--customer <digits>', 'who you are', '255712000101')
    .addHelpText('after', '\nExample:\n  $ switchhook dev -- node bot.js\n')
    .action(async (command: string[], flags: DevFlags) => {
      process.exitCode = await runDev(command, flags)
    })
}

async function runDev(command: readonly string[], flags: DevFlags): Promise<number> {
  await using emulator = await createEmulator({ port: flags.port, webhook: flags.webhook })
  const stopped = untilStopped()
  const interactive = process.stdin.isTTY && process.stderr.isTTY
  process.stderr.write(`${banner(emulator, flags, interactive)}\n`)

  const phone = interactive ? openPhone(emulator, flags.customer) : undefined
  const tell = (line: string) => (phone ? phone.print(`  | ${line}`) : process.stderr.write(`  | ${line}\n`))
  if (command.length === 0) {
    const code = await stopped
    phone?.close()
    return code
  }
  const app = runApp(command, surroundings(emulator), tell)
  const ended = await Promise.race([
    stopped.then((code) => ({ code })),
    app.ended.then((code) => ({ code, app: true })),
  ])
  phone?.close()
  app.stop()
  await app.ended
  if ('app' in ended) process.stderr.write(`The app ended with ${ended.code}.\n`)
  return 'app' in ended && ended.code === 0 ? EXIT.done : ended.code
}

/** What the app finds in its environment; the database is its own for development, unless one is named. */
function surroundings(emulator: Emulator): Record<string, string> {
  const database = environment('SWITCHHOOK_DATABASE')
  if (database === undefined) mkdirSync(FOLDER, { recursive: true })
  return {
    SWITCHHOOK_BASE_URL: emulator.url,
    SWITCHHOOK_ACCESS_TOKEN: emulator.accessToken,
    SWITCHHOOK_SIGNING_SECRET: emulator.signingSecret,
    SWITCHHOOK_DATABASE: database ?? `${FOLDER}/dev.db`,
  }
}

function banner(emulator: Emulator, flags: DevFlags, interactive: boolean): string {
  const write =
    `curl -X POST ${emulator.url}/_emulator/customers/${flags.customer}/messages ` +
    `-H 'Authorization: Bearer ${emulator.controlToken}' -H 'Content-Type: application/json' -d '{"text":"hours"}'`
  return [
    `The emulator is the service at ${emulator.url}; no send leaves this machine.`,
    `Deliveries go to ${flags.webhook}.`,
    ...(interactive
      ? [HELP]
      : ['Write as a customer:', `  ${write}`, 'See what arrived:', `  ${readThread(emulator, flags)}`]),
    '',
  ].join('\n')
}

function readThread(emulator: Emulator, flags: DevFlags): string {
  return `curl ${emulator.url}/_emulator/customers/${flags.customer}/thread -H 'Authorization: Bearer ${emulator.controlToken}'`
}
