import { Command } from 'commander'
import { exitCodeOf } from './support/exit.ts'

/** Runs the command that is asked for. It alone is loaded: the others are but a line of the help. */
export async function run(version: string): Promise<void> {
  const program = new Command('switchhook')
    .description('Bots on the Messaging Developer API v2, and the service itself on your machine.')
    .version(version)
    .addHelpText('after', HELP)
    .exitOverride()
  const asked = commandIn(process.argv.slice(2))
  try {
    for (const listed of COMMANDS)
      if (listed.name === asked) (await listed.load())(program)
      else list(program, listed)
    await program.parseAsync()
  } catch (error) {
    process.exitCode = exitCodeOf(error)
  }
}

const HELP = `
Exit codes: 0 done, 1 failed, 2 usage, 3 no emulator or receiver answers, 4 refused for safety, 130 interrupted.

Example:
  $ switchhook dev -- node bot.js
`

function list(program: Command, { name, does, group }: Listed): void {
  program.command(name).description(does).helpGroup(group)
}

/** The first word; before it stand flags alone, none of which takes a value. `help dev` asks for `dev`. */
function commandIn(args: readonly string[]): string | undefined {
  const [first, second] = args.filter((word) => !word.startsWith('-'))
  return first === 'help' ? second : first
}

/** A command as the help lists it; what it is made of comes with `load`. */
export interface Listed {
  readonly name: string
  readonly group: string
  readonly does: string
  load(): Promise<(program: Command) => void>
}

const DEVELOP = 'Develop:'

const EMULATOR = 'Work on the running emulator:'

const LOOK = 'Look after a running app:'

const SERVICE = 'Check and learn:'

/** All commands, in the order of the help. */
export const COMMANDS: readonly Listed[] = [
  {
    name: 'init',
    group: DEVELOP,
    does: 'write a new bot, ready to be installed, tested and run',
    load: () => import('./init/init.ts').then(({ addInit }) => addInit),
  },
  {
    name: 'dev',
    group: DEVELOP,
    does: 'run the emulator and your app beside it; in a terminal you are the customer',
    load: () => import('./dev/dev.ts').then(({ addDev }) => addDev),
  },
  {
    name: 'exec',
    group: DEVELOP,
    does: 'run a command beside an emulator of its own, and exit with its code',
    load: () => import('./exec.ts').then(({ addExec }) => addExec),
  },
  {
    name: 'emulator',
    group: DEVELOP,
    does: 'run the whole service on this machine; no send leaves it',
    load: () => import('./emulator.ts').then(({ addEmulator }) => addEmulator),
  },
  {
    name: 'send',
    group: DEVELOP,
    does: 'send one message through the API',
    load: () => import('./send/send.ts').then(({ addSend }) => addSend),
  },
  {
    name: 'trigger',
    group: EMULATOR,
    does: 'let an event happen, signed and delivered',
    load: () => import('./trigger/trigger.ts').then(({ addTrigger }) => addTrigger),
  },
  {
    name: 'replay',
    group: EMULATOR,
    does: 'deliver once more what was delivered, signed now, as it was, or tampered with',
    load: () => import('./replay/replay.ts').then(({ addReplay }) => addReplay),
  },
  {
    name: 'play',
    group: EMULATOR,
    does: 'play recorded conversations against the running app, step by step',
    load: () => import('./play/play.ts').then(({ addPlay }) => addPlay),
  },
  {
    name: 'clock',
    group: EMULATOR,
    does: "show and move the emulator's clock",
    load: () => import('./clock.ts').then(({ addClock }) => addClock),
  },
  {
    name: 'state',
    group: EMULATOR,
    does: 'keep, bring back or clear all that the emulator knows',
    load: () => import('./state.ts').then(({ addState }) => addState),
  },
  {
    name: 'inbox',
    group: LOOK,
    does: 'look after the deliveries that came in',
    load: () => import('./inbox/inbox.ts').then(({ addInbox }) => addInbox),
  },
  {
    name: 'outbox',
    group: LOOK,
    does: 'look after the sends that go out',
    load: () => import('./outbox/outbox.ts').then(({ addOutbox }) => addOutbox),
  },
  {
    name: 'doctor',
    group: SERVICE,
    does: 'check the set-up, a line each with the mend',
    load: () => import('./doctor/doctor.ts').then(({ addDoctor }) => addDoctor),
  },
  {
    name: 'verify',
    group: SERVICE,
    does: 'fire the conformance matrix at a running receiver',
    load: () => import('./verify/verify.ts').then(({ addVerify }) => addVerify),
  },
  {
    name: 'templates',
    group: SERVICE,
    does: "list the number's templates, and make types of them",
    load: () => import('./templates/templates.ts').then(({ addTemplates }) => addTemplates),
  },
  {
    name: 'payload',
    group: SERVICE,
    does: 'learn from the deliveries that the app has received',
    load: () => import('./payload.ts').then(({ addPayload }) => addPayload),
  },
  {
    name: 'contract',
    group: SERVICE,
    does: 'compare the service with what this release takes it for',
    load: () => import('./contract/diff.ts').then(({ addContract }) => addContract),
  },
]
