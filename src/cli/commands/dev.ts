import type { Command } from 'commander'
import { createEmulator, type Emulator } from '../../emulator/index.ts'
import { readCustomer, readPort } from '../arguments.ts'
import { runApp } from '../dev/app.ts'
import { databaseForDev } from '../dev/database.ts'
import { HELP, openPhone } from '../dev/phone.ts'
import { tellUndelivered } from '../dev/undelivered.ts'
import { listenForSignals } from '../signals.ts'
import { DEFAULT_PORT, DEFAULT_WEBHOOK } from './emulator.ts'

interface DevFlags {
  readonly port: number
  readonly webhook: string
  readonly customer: string
}

/** `switchhook dev -- cmd`: the emulator, the app beside it, and a phone in the terminal. */
export function addDev(program: Command): void {
  program
    .command('dev')
    .description('run the emulator and your app beside it; in a terminal you are the customer')
    .argument('[command...]', 'how the app is started, after --')
    .option('--port <port>', "the emulator's port on 127.0.0.1; 0 takes a free one", readPort, DEFAULT_PORT)
    .option('--webhook <url>', "the app's endpoint", DEFAULT_WEBHOOK)
    .option('--customer <digits>', 'who you are: 6 to 20 digits', readCustomer, '255712000101')
    .addHelpText('after', '\nExample:\n  $ switchhook dev -- node bot.js\n')
    .action(async (command: string[], flags: DevFlags) => {
      process.exitCode = await runDev(command, flags)
    })
}

async function runDev(command: readonly string[], flags: DevFlags): Promise<number> {
  using signals = listenForSignals()
  await using emulator = await createEmulator({ port: flags.port, webhook: flags.webhook })
  const database = command.length === 0 ? '' : databaseForDev()
  const interactive = process.stdin.isTTY && process.stderr.isTTY
  process.stderr.write(`${banner(emulator, flags, interactive)}\n`)

  using phone = interactive ? openPhone(emulator, flags.customer, signals.interrupt) : undefined
  const print = phone?.print ?? ((line: string) => process.stderr.write(`${line}\n`))
  using _undelivered = tellUndelivered(emulator, print)
  if (command.length === 0) return await signals.stopped

  const app = runApp(command, surroundings(emulator, database), (line) => print(`  | ${line}`))
  try {
    const end = await Promise.race([signals.stopped, app.ended])
    if (typeof end === 'number') return end
    print(end.words)
    return end.code
  } finally {
    phone?.[Symbol.dispose]()
    const patience = setTimeout(() => print('The app has not ended yet; Ctrl-C kills it.'), 1_000)
    await app.stop(signals)
    clearTimeout(patience)
  }
}

/** What the app finds in its environment. */
function surroundings(emulator: Emulator, database: string): Record<string, string> {
  return {
    SWITCHHOOK_BASE_URL: emulator.url,
    SWITCHHOOK_ACCESS_TOKEN: emulator.accessToken,
    SWITCHHOOK_SIGNING_SECRET: emulator.signingSecret,
    SWITCHHOOK_DATABASE: database,
  }
}

function banner(emulator: Emulator, flags: DevFlags, interactive: boolean): string {
  const write =
    `curl -X POST ${emulator.url}/_emulator/customers/${flags.customer}/messages ` +
    `-H 'Authorization: Bearer ${emulator.controlToken}' -H 'Content-Type: application/json' -d '{"text":"hours"}'`
  return [
    `The emulator is the service at ${emulator.url}; no send leaves this machine.`,
    `Deliveries go to ${flags.webhook}. The phone number id is ${emulator.phoneNumberId}.`,
    ...(interactive
      ? [HELP]
      : ['Write as a customer:', `  ${write}`, 'See what arrived:', `  ${readThread(emulator, flags)}`]),
    '',
  ].join('\n')
}

function readThread(emulator: Emulator, flags: DevFlags): string {
  return `curl ${emulator.url}/_emulator/customers/${flags.customer}/thread -H 'Authorization: Bearer ${emulator.controlToken}'`
}
