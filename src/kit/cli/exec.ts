import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Command } from 'commander'
import { createEmulator } from '../../emulator/emulator.ts'
import { endOf } from './dev/app.ts'
import { DEFAULT_WEBHOOK } from './support/running-emulator.ts'
import { appEnvironment, refuseLiveCommand } from './support/start-emulator.ts'
import { temporaryFolder } from './support/files.ts'
import type { Io } from './support/io.ts'
import { onSignals } from './support/signals.ts'

export function addCommand(command: Command, io: Io): void {
  command
    .description('run a command beside its own emulator, with the environment set, and exit with its code')
    .argument('<command...>', 'the command, after --')
    .option('--webhook <url>', "the app's endpoint", DEFAULT_WEBHOOK)
    .addHelpText('after', HELP)
    .action((command, flags) => exec(io, command, flags))
}

const HELP = `
The command finds SWITCHHOOK_BASE_URL, _ACCESS_TOKEN, _SIGNING_SECRET, _PHONE_NUMBER_ID and _DATABASE (in a folder that
is removed at the end) in its environment. It shares stdin, stdout and stderr with this program.

Example:
  $ switchhook exec -- npx vitest run
`

async function exec(io: Io, command: readonly string[], { webhook }: { readonly webhook: string }): Promise<void> {
  refuseLiveCommand(command)
  await using emulator = await createEmulator({ webhook })
  using folder = temporaryFolder('exec')
  io.exitCode = await run(io, command, await appEnvironment(emulator, join(folder.path, 'switchhook.db')))
}

async function run(io: Io, command: readonly string[], environment: Record<string, string>): Promise<number> {
  const [file = '', ...args] = command
  const child = spawn(file, args, { cwd: io.process.cwd(), env: { ...io.env, ...environment }, stdio: 'inherit' })
  // A signal does not end this process: the end of the command does.
  using _signals = onSignals(io.process, (signal) => {
    // On Ctrl-C the terminal signals the command itself. A second signal would make many programs stop at once.
    if (signal !== 'SIGINT' || !io.stdin.isTTY) child.kill(signal)
  })
  const { code } = await endOf(child, file, (line) => io.err(`switchhook: ${line}`))
  return code
}
