import { Command } from 'commander'
import { exitCodeOf } from './support/exit.ts'
import { createIo, type Io, type ProcessLike } from './support/io.ts'

/**
 * Runs the command that `args` name and resolves with the exit code. Only that command is loaded; the others are lines
 * of the help.
 */
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
    for (const entry of COMMANDS)
      if (entry.name === named) (await entry.load())(program, io)
      else program.command(entry.name).description(entry.description).helpGroup(entry.group)
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

/** The first word that is no flag; flags before the command take no values. `help dev` names `dev`. */
function commandNameIn(args: readonly string[]): string | undefined {
  const [first, second] = args.filter((word) => !word.startsWith('-'))
  return first === 'help' ? second : first
}

/** A command as the help lists it. `load` imports its module. */
interface CommandEntry {
  readonly name: string
  readonly group: string
  readonly description: string
  load(): Promise<(program: Command, io: Io) => void>
}

const DEVELOP = 'Develop:'

const EMULATOR = 'Work on the running emulator:'

const LOOK = 'Look after a running app:'

const SERVICE = 'Check and learn:'

/** All commands in the order of the help. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'init',
    group: DEVELOP,
    description: 'write a new bot, ready to be installed, tested and run',
    load: () => import('./init/init.ts').then(({ addInit }) => addInit),
  },
  {
    name: 'dev',
    group: DEVELOP,
    description: 'run the emulator and your app beside it; in a terminal you are the customer',
    load: () => import('./dev/dev.ts').then(({ addDev }) => addDev),
  },
  {
    name: 'exec',
    group: DEVELOP,
    description: 'run a command beside an emulator of its own, and exit with its code',
    load: () => import('./exec.ts').then(({ addExec }) => addExec),
  },
  {
    name: 'emulator',
    group: DEVELOP,
    description: 'run the whole service on this machine; no send leaves it',
    load: () => import('./emulator.ts').then(({ addEmulator }) => addEmulator),
  },
  {
    name: 'send',
    group: DEVELOP,
    description: 'send one message through the API',
    load: () => import('./send/send.ts').then(({ addSend }) => addSend),
  },
  {
    name: 'trigger',
    group: EMULATOR,
    description: 'trigger an event, signed and delivered',
    load: () => import('./trigger/trigger.ts').then(({ addTrigger }) => addTrigger),
  },
  {
    name: 'replay',
    group: EMULATOR,
    description: 'deliver again: signed now, exactly as before, or tampered with',
    load: () => import('./replay/replay.ts').then(({ addReplay }) => addReplay),
  },
  {
    name: 'play',
    group: EMULATOR,
    description: 'play recorded conversations against the running app, step by step',
    load: () => import('./play/play.ts').then(({ addPlay }) => addPlay),
  },
  {
    name: 'clock',
    group: EMULATOR,
    description: "show and move the emulator's clock",
    load: () => import('./clock.ts').then(({ addClock }) => addClock),
  },
  {
    name: 'state',
    group: EMULATOR,
    description: "export, import or reset the emulator's state",
    load: () => import('./state.ts').then(({ addState }) => addState),
  },
  {
    name: 'inbox',
    group: LOOK,
    description: 'look after received deliveries',
    load: () => import('./inbox/inbox.ts').then(({ addInbox }) => addInbox),
  },
  {
    name: 'outbox',
    group: LOOK,
    description: 'look after sends',
    load: () => import('./outbox/outbox.ts').then(({ addOutbox }) => addOutbox),
  },
  {
    name: 'backtest',
    group: LOOK,
    description: 'play recorded messages through two versions of the app',
    load: () => import('./backtest/backtest.ts').then(({ addBacktest }) => addBacktest),
  },
  {
    name: 'backup',
    group: LOOK,
    description: "back up a running app's database",
    load: () => import('./backup.ts').then(({ addBackup }) => addBackup),
  },
  {
    name: 'database',
    group: LOOK,
    description: "move a stopped app's database",
    load: () => import('./database/database.ts').then(({ addDatabase }) => addDatabase),
  },
  {
    name: 'doctor',
    group: SERVICE,
    description: 'check the set-up, and say what to change',
    load: () => import('./doctor/doctor.ts').then(({ addDoctor }) => addDoctor),
  },
  {
    name: 'verify',
    group: SERVICE,
    description: 'fire the conformance matrix at a running receiver',
    load: () => import('./verify/verify.ts').then(({ addVerify }) => addVerify),
  },
  {
    name: 'templates',
    group: SERVICE,
    description: "list the number's templates, and write types of them",
    load: () => import('./templates/templates.ts').then(({ addTemplates }) => addTemplates),
  },
  {
    name: 'payload',
    group: SERVICE,
    description: 'learn from the deliveries that the app has received',
    load: () => import('./payload/payload.ts').then(({ addPayload }) => addPayload),
  },
  {
    name: 'contract',
    group: SERVICE,
    description: 'compare the service with the built-in contract',
    load: () => import('./contract/diff.ts').then(({ addContract }) => addContract),
  },
]
