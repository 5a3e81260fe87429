import type { Command } from 'commander'

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
    load: () => import('./commands/init.ts').then(({ addInit }) => addInit),
  },
  {
    name: 'dev',
    group: DEVELOP,
    does: 'run the emulator and your app beside it; in a terminal you are the customer',
    load: () => import('./commands/dev.ts').then(({ addDev }) => addDev),
  },
  {
    name: 'exec',
    group: DEVELOP,
    does: 'run a command beside an emulator of its own, and exit with its code',
    load: () => import('./commands/exec.ts').then(({ addExec }) => addExec),
  },
  {
    name: 'emulator',
    group: DEVELOP,
    does: 'run the whole service on this machine; no send leaves it',
    load: () => import('./commands/emulator.ts').then(({ addEmulator }) => addEmulator),
  },
  {
    name: 'send',
    group: DEVELOP,
    does: 'send one message through the API',
    load: () => import('./commands/send.ts').then(({ addSend }) => addSend),
  },
  {
    name: 'trigger',
    group: EMULATOR,
    does: 'let an event happen, signed and delivered',
    load: () => import('./commands/trigger.ts').then(({ addTrigger }) => addTrigger),
  },
  {
    name: 'replay',
    group: EMULATOR,
    does: 'deliver once more what was delivered, signed now, as it was, or tampered with',
    load: () => import('./commands/replay.ts').then(({ addReplay }) => addReplay),
  },
  {
    name: 'play',
    group: EMULATOR,
    does: 'play recorded conversations against the running app, step by step',
    load: () => import('./commands/play.ts').then(({ addPlay }) => addPlay),
  },
  {
    name: 'clock',
    group: EMULATOR,
    does: "show and move the emulator's clock",
    load: () => import('./commands/clock.ts').then(({ addClock }) => addClock),
  },
  {
    name: 'state',
    group: EMULATOR,
    does: 'keep, bring back or clear all that the emulator knows',
    load: () => import('./commands/state.ts').then(({ addState }) => addState),
  },
  {
    name: 'inbox',
    group: LOOK,
    does: 'look after the deliveries that came in',
    load: () => import('./commands/inbox.ts').then(({ addInbox }) => addInbox),
  },
  {
    name: 'outbox',
    group: LOOK,
    does: 'look after the sends that go out',
    load: () => import('./commands/outbox.ts').then(({ addOutbox }) => addOutbox),
  },
  {
    name: 'doctor',
    group: SERVICE,
    does: 'check the set-up, a line each with the mend',
    load: () => import('./commands/doctor.ts').then(({ addDoctor }) => addDoctor),
  },
  {
    name: 'verify',
    group: SERVICE,
    does: 'fire the conformance matrix at a running receiver',
    load: () => import('./commands/verify.ts').then(({ addVerify }) => addVerify),
  },
  {
    name: 'templates',
    group: SERVICE,
    does: "list the number's templates, and make types of them",
    load: () => import('./commands/templates.ts').then(({ addTemplates }) => addTemplates),
  },
  {
    name: 'payload',
    group: SERVICE,
    does: 'learn from the deliveries that the app has received',
    load: () => import('./commands/payload.ts').then(({ addPayload }) => addPayload),
  },
  {
    name: 'contract',
    group: SERVICE,
    does: 'compare the service with what this release takes it for',
    load: () => import('./commands/contract.ts').then(({ addContract }) => addContract),
  },
]
