import type { Command } from 'commander'
import { optionsInvalid, SwitchhookError } from '../../base/errors.ts'
import { parseJson } from '../../base/value.ts'
import type { DeliveryView } from '../../emulator/deliver/delivery.ts'
import { choicesOn, type ThreadItem } from '../../emulator/model/thread.ts'
import { describeReply, describeStep, replyOf } from '../../emulator/recording/describe-recording.ts'
import { messageView, optionId, type Sent } from '../../emulator/recording/message-view.ts'
import { withShownOptions } from '../testing/play.ts'
import {
  type RecordedReply,
  type RecordedStep,
  type Recording,
  readRecording,
} from '../../emulator/recording/recording.ts'
import { readSpan } from './support/arguments.ts'
import { EXIT } from './support/exit.ts'
import { readInput } from './support/files.ts'
import type { Io } from './support/io.ts'
import {
  type Control,
  ControlRefused,
  EMULATOR_OPTIONS,
  runningEmulator,
  type RunningFlags,
} from './support/running-emulator.ts'

export function addCommand(command: Command, io: Io): void {
  command
    .argument('<file>', 'a recording, as inbox export writes it; - is stdin')
    .option('--wait <span>', 'how long a step may take; a step without replies takes all of it (default: 5s)')
    .option(...EMULATOR_OPTIONS.address)
    .option(...EMULATOR_OPTIONS.token)
    .option('--json', 'one object a line on stdout: {"kind":"step",…}, and {"kind":"score",…} at the end')
    .addHelpText('after', EXAMPLE)
    .action((path, flags) => play(io, path, flags))
}

const EXAMPLE = `
Exit codes: 0 the app replies as recorded, 1 it does not, 2 usage, 3 no emulator answers.

Example:
  $ switchhook play test/opening-hours.json
`

interface PlayFlags extends RunningFlags {
  readonly wait?: string
}

const WAIT = '5s'
const MARKS = { passed: 'ok    ', failed: 'FAILED', skipped: '-     ' } as const

async function play(io: Io, path: string, flags: PlayFlags): Promise<void> {
  const waitMs = readSpan(flags.wait ?? WAIT, '--wait')
  const bytes = await readInput(io, path, 'FILE')
  const recording = readRecording(parseJson(bytes.toString('utf8')), path)
  const control = runningEmulator(io, flags)
  await createTemplates(control, recording)
  const phones = createPhones(control, recording)
  // Check the token before the first step: with a wrong one this call throws.
  await phones.sent()
  const score = { passed: 0, failed: 0, skipped: 0 }
  for (const [index, step] of recording.steps.entries()) {
    const why = score.failed > 0 ? undefined : await playStep(step, control, phones, waitMs)
    const state = why !== undefined ? 'failed' : score.failed > 0 ? 'skipped' : 'passed'
    score[state]++
    const does = describeStep(step)
    if (flags.json) io.out(JSON.stringify({ kind: 'step', step: index + 1, does, state, why }))
    else io.out([`${MARKS[state]} ${does}`, ...(why === undefined ? [] : [why])].join('\n'))
  }
  const { passed, failed, skipped } = score
  if (flags.json) io.out(JSON.stringify({ kind: 'score', ...score }))
  else io.out(`\n${passed} passed, ${failed} failed, ${skipped} skipped.`)
  io.exitCode = failed > 0 ? EXIT.failed : EXIT.done
}

async function createTemplates(control: Control, { templates = [] }: Recording): Promise<void> {
  for (const template of templates)
    try {
      await control.change('POST', 'templates', template)
    } catch (error) {
      if (!(error instanceof ControlRefused && error.code === 'template_exists')) throw error
    }
}

type Phones = ReturnType<typeof createPhones>

/** Shows only the phones of the recording's customers: other customers may write to the emulator meanwhile. */
function createPhones(control: Control, { steps }: Recording) {
  const named = steps.flatMap((step) => [
    'customer' in step ? step.customer : undefined,
    ...(step.replies ?? []).map(({ to }) => to),
  ])
  const customers = [...new Set(named.filter((customer) => customer !== undefined))]
  const threadOf = async (customer: string) =>
    (await control.get<{ items: ThreadItem[] }>(`customers/${customer}/thread`)).items
  return {
    choices: async (customer: string) => choicesOn(await threadOf(customer)),
    async sent(): Promise<Map<string, Sent>> {
      const all = customers.map(async (to) => (await threadOf(to)).map((item) => ({ to, item })))
      const sent = (await Promise.all(all)).flat().filter(({ item }) => item.direction === 'OUTBOUND')
      sent.sort((one, other) => Date.parse(one.item.at) - Date.parse(other.item.at))
      return new Map(sent.map(({ to, item }) => [item.id, { to, ...messageView(item) } as Sent]))
    },
  }
}

async function playStep(step: RecordedStep, control: Control, phones: Phones, waitMs: number) {
  const deadline = performance.now() + waitMs
  try {
    const before = await phones.sent()
    const deliveryIds = await act(step, control, phones)
    const differs = await differenceBy(deadline, step, async () => {
      const all = await phones.sent()
      return [...all].flatMap(([id, one]) => (before.has(id) ? [] : one))
    })
    const failures = await Promise.all(deliveryIds.map((id) => failureOf(control, id)))
    return [differs, ...failures].filter((line) => line !== undefined).join('\n') || undefined
  } catch (error) {
    // A refusal by the emulator fails the step. If no emulator answers, the command ends.
    if (error instanceof ControlRefused || error instanceof SwitchhookError) return `    ${error.message}`
    throw error
  }
}

/** After a step has all its recorded replies, `play` waits this long for unexpected ones. */
const SETTLED_MS = 300
const POLL_EVERY_MS = 50

/** Waits until the replies are as recorded, and no more arrive, or until the deadline. */
async function differenceBy(deadline: number, { replies }: RecordedStep, sent: () => Promise<Sent[]>) {
  let quietSince = performance.now()
  for (let seen = 0; ; await new Promise((resolve) => setTimeout(resolve, POLL_EVERY_MS))) {
    const received = await sent()
    const now = performance.now()
    if (received.length !== seen) quietSince = now
    seen = received.length
    const differs = replies && difference(replies, received)
    const isMet = differs === undefined && replies?.length !== 0
    if (now >= deadline || (isMet && now - quietSince >= SETTLED_MS)) return differs
  }
}

async function act(step: RecordedStep, control: Control, phones: Phones): Promise<readonly string[]> {
  if (step.kind === 'time') {
    await control.change('POST', 'clock', { advance: step.by, tellApp: true })
    return []
  }
  const [path, body] = await requestFor(step, phones)
  const number = step.number === undefined ? {} : { number: step.number }
  const { deliveryIds } = await control.change<{ deliveryIds: string[] }>('POST', path, { ...body, ...number })
  if (deliveryIds.length > 0) return deliveryIds
  throw optionsInvalid(
    'it was not delivered: the emulator has no active endpoint. Start the app beside it with `switchhook dev`, or register its address',
  )
}

async function requestFor(step: Exclude<RecordedStep, { kind: 'time' }>, phones: Phones): Promise<[string, object]> {
  if (step.kind === 'delivery') {
    const { event, payload, customer } = step
    if (customer === undefined) return ['events', { event, payload }]
    const shown = withShownOptions(payload, await phones.choices(customer))
    return ['events', { event, payload: shown, customer, opensWindow: true }]
  }
  const path = `customers/${step.customer}/messages`
  if (step.kind === 'text') return [path, { text: step.text }]
  if (step.kind === 'media') return [path, { media: step.media }]
  return [path, { tap: optionId(step.option, await phones.choices(step.customer)) }]
}

/** Undefined if the app accepted the delivery. */
async function failureOf(control: Control, id: string): Promise<string | undefined> {
  const { event, state, attempts } = await control.get<DeliveryView>(`deliveries/${id}`)
  const last = attempts.at(-1)
  if (state === 'delivered' || last === undefined) return undefined
  return `    ${event} was not accepted by the app: ${last.status ?? last.error ?? 'no answer'}`
}

/**
 * One line for each message, or two if it differs from the recorded one. Undefined if no message differs. A member that
 * a recorded reply leaves out may have any value, except `refused`.
 */
function difference(recorded: readonly RecordedReply[], sent: readonly Sent[]): string | undefined {
  const got = sent.map(replyOf)
  const pairs = Array.from({ length: Math.max(recorded.length, got.length) }, (_, index) => ({
    wanted: recorded[index],
    received: got[index],
  }))
  if (pairs.every(({ wanted, received }) => wanted && received && fits(received, wanted))) return undefined
  return pairs.map(({ wanted, received }) => linesOf(wanted, received)).join('\n')
}

function fits(received: RecordedReply, wanted: RecordedReply): boolean {
  const isSame = (name: keyof RecordedReply) => JSON.stringify(wanted[name]) === JSON.stringify(received[name])
  const { template } = wanted
  return (
    received.refused === wanted.refused &&
    (['to', 'text', 'kind', 'options', 'url'] as const).every((name) => wanted[name] === undefined || isSame(name)) &&
    (template === undefined ||
      JSON.stringify({ ...received.template, ...template }) === JSON.stringify(received.template))
  )
}

function linesOf(wanted: RecordedReply | undefined, received: RecordedReply | undefined): string {
  if (wanted && received && fits(received, wanted)) return `    ${describeReply(received)}`
  return [
    `  - recorded ${wanted ? describeReply(wanted) : 'nothing more'}`,
    `  + received ${received ? describeReply(received) : 'nothing more'}`,
  ].join('\n')
}
