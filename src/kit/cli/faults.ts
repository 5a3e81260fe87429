import type { Command } from 'commander'
import { optionsInvalid } from '../../base/errors.ts'
import type { FaultsView } from '../../emulator/control/operations.ts'
import { describeFindings } from '../../emulator/http/messages.ts'
import { DELIVERY_FAULTS, SEND_FAULTS } from '../../emulator/model/fault-effects.ts'
import { type FaultRule, faultRuleSchema } from '../../emulator/model/faults.ts'
import { example } from './support/arguments.ts'
import { EMULATOR_OPTIONS, runningEmulator, type RunningFlags } from './support/running-emulator.ts'
import type { Io } from './support/io.ts'
import { type Column, printList } from './support/output.ts'

export function addCommand(command: Command, io: Io): void {
  command
    .description('arm a fault in the running emulator; without one, the armed faults are listed')
    .argument('[fault...]', 'its name and its members, or off to disarm all')
    .option(...EMULATOR_OPTIONS.address)
    .option(...EMULATOR_OPTIONS.token)
    .option('--json', 'one armed fault a line on stdout: {"on":"send","do":"lose_answer","next":1}')
    .addHelpText('after', `\n${HELP}\n${example('switchhook faults lose_answer next=2')}`)
    .action((words, flags) => faults(io, words, flags))
}

async function faults(io: Io, words: readonly string[], flags: RunningFlags): Promise<void> {
  const control = runningEmulator(io, flags)
  const rule = words.length === 0 || words.join() === 'off' ? undefined : readRule(words)
  let { rules } = await control.get<FaultsView>('faults')
  const wanted = { rules: rule ? [...rules, rule] : [] }
  if (words.length > 0) rules = (await control.change<FaultsView>('PUT', 'faults', wanted)).rules
  await printList(io, flags, rules, COLUMNS, { none: 'No fault is armed.' })
}

const COLUMNS: readonly Column<FaultRule>[] = [
  'on',
  'do',
  ['members', (rule) => ({ ...rule, on: undefined, do: undefined })],
]

const EFFECTS: Readonly<Record<FaultRule['on'], Readonly<Record<string, string>>>> = {
  send: SEND_FAULTS,
  delivery: Object.fromEntries(Object.entries(DELIVERY_FAULTS).map(([name, [, effect]]) => [name, effect])),
}

const HELP = `Faults of a send:
${effectLines('send')}
Faults of a delivery to the app:
${effectLines('delivery')}

A fault strikes once. Members change that, as in the control API: next=3, every=2, to=255712000101, status=503, by=10m.
429 is short for \`status status=429\`. \`delivery lose_answer\` is that of a delivery.`

function effectLines(on: FaultRule['on']): string {
  return Object.entries(EFFECTS[on])
    .map(([name, effect]) => `  ${name.padEnd(17)}  ${effect}`)
    .join('\n')
}

/** Reads the words of a rule, such as `lose_answer`, `429` or `delivery lose_answer every=2`. */
function readRule(words: readonly string[]): FaultRule {
  const named = words[0] === 'send' || words[0] === 'delivery' ? words[0] : undefined
  const [name = '', ...members] = named ? words.slice(1) : words
  const isStatus = /^\d{3}$/.test(name)
  const does = isStatus ? 'status' : name
  const on = named ?? (Object.hasOwn(EFFECTS.send, does) ? 'send' : 'delivery')
  if (!Object.hasOwn(EFFECTS[on], does)) throw unknownFault(does, named)
  const given = Object.fromEntries(members.map(readMember))
  const often = 'next' in given || 'every' in given ? {} : { next: 1 }
  const status = isStatus ? { status: Number(name) } : {}
  const read = faultRuleSchema.safeParse({ ...status, ...given, ...often, on, do: does })
  if (read.success) return read.data
  throw optionsInvalid(describeFindings(read.error.issues))
}

function unknownFault(name: string, on: FaultRule['on'] | undefined): Error {
  const names = Object.keys(on ? EFFECTS[on] : { ...EFFECTS.send, ...EFFECTS.delivery })
  return optionsInvalid(`"${name}" is not a fault: ${names.join(', ')}`)
}

const NUMBERS: readonly string[] = ['next', 'every', 'status']

function readMember(text: string): [string, unknown] {
  const [, name, value] = /^(?!on=|do=)(\w+)=(.+)$/s.exec(text) ?? []
  if (name === undefined || value === undefined)
    throw optionsInvalid(`expected a member of the fault, such as next=2, got ${JSON.stringify(text)}`)
  return [name, NUMBERS.includes(name) ? Number(value) : value]
}
