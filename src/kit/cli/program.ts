import { Command } from 'commander'
import * as builtIn from '../../built-in/commands.ts'
import { exitCodeOf } from './support/exit.ts'
import { createIo, type Io, type ProcessLike } from './support/io.ts'

/** Runs the command that `args` name, and resolves with the exit code. Only the module of that command is loaded. */
export async function run(version: string, args: readonly string[], process: ProcessLike): Promise<number> {
  const io = createIo(process)
  const program = new Command('switchhook')
    .description('Bots on the Messaging Developer API v2, and the service itself on your machine.')
    .version(version)
    .addHelpText('after', HELP)
    .configureOutput({ writeOut: (text) => io.stdout.write(text), writeErr: (text) => io.stderr.write(text) })
    .exitOverride()
  const named = commandNameIn(args)
  try {
    for (const [group, entries] of Object.entries(COMMANDS))
      for (const [name, description, load] of entries) {
        const command = program.command(name).description(description).helpGroup(group)
        if (name === named) (await load()).addCommand(command, io)
      }
    await program.parseAsync(args, { from: 'user' })
    return io.exitCode
  } catch (error) {
    return exitCodeOf(io, error)
  }
}

const HELP = `
Exit codes: 0 done, 1 failed, 2 usage, 3 no emulator or receiver answers, 4 refused for safety, 130 interrupted.

Example:
  $ switchhook dev -- node bot.js
`

/** The first word that is no flag. `help dev` names `dev`. */
function commandNameIn(args: readonly string[]): string | undefined {
  const [first, second] = args.filter((word) => !word.startsWith('-'))
  return first === 'help' ? second : first
}

/** What the module of a command exports. It adds the arguments, flags and action to the command. */
type AddCommand = { readonly addCommand: (command: Command, io: Io) => void }

interface BuiltInCommand {
  readonly description: string
  load(): Promise<AddCommand>
}

type CommandEntry = readonly [name: string, description: string, load: () => Promise<AddCommand>]

export const COMMANDS: Readonly<Record<string, readonly CommandEntry[]>> = {
  'Develop:': [
    ['init', 'write a new bot, ready to be installed, tested and run', () => import('./init.ts')],
    ['dev', 'run the emulator and your app beside it', () => import('./dev/dev.ts')],
    ['exec', 'run a command beside its own emulator, and exit with its code', () => import('./exec.ts')],
    ['emulator', 'run the whole service on this machine; no send leaves it', () => import('./emulator.ts')],
    ['send', 'send one message through the API', () => import('./send.ts')],
  ],
  'Work on the running emulator:': [
    ['trigger', 'trigger an event, signed and delivered', () => import('./trigger.ts')],
    ['replay', 'repeat a delivery: signed now, exactly as before, or tampered with', () => import('./replay.ts')],
    ['play', 'play recorded conversations against the running app, step by step', () => import('./play.ts')],
    ['clock', "show and move the emulator's clock", () => import('./clock.ts')],
    ['faults', 'make sends and deliveries of the emulator fail', () => import('./faults.ts')],
  ],
  'Look after a running app:': [
    ['inbox', 'manage received deliveries', () => import('./inbox/inbox.ts')],
    ['outbox', 'manage sends', () => import('./outbox.ts')],
    ...Object.entries<BuiltInCommand>(builtIn).map(
      ([name, { description, load }]) => [name, description, load] as const,
    ),
    ['backup', "back up a running app's database", () => import('./backup.ts')],
    ['database', "move a stopped app's database", () => import('./database.ts')],
  ],
  'Check and learn:': [
    ['doctor', 'check the set-up and print what to change', () => import('./doctor/doctor.ts')],
    ['verify', 'run the conformance checks against a running receiver', () => import('./verify.ts')],
    ['templates', "write types of the number's templates", () => import('./templates.ts')],
    ['payload', 'examine the payloads that the app has received', () => import('./payload/payload.ts')],
    ['contract', 'compare the service with the built-in contract', () => import('./contract.ts')],
  ],
}
