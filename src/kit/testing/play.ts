import { readFile } from 'node:fs/promises'
import { optionsInvalid, reasonOf, SwitchhookError } from '../../base/errors.ts'
import { type Duration, toMs } from '../../base/duration.ts'
import { isOption, withoutSignature } from '../../service/tap-id.ts'
import { describeReply, describeStep, replyOf } from '../../emulator/recording/describe-recording.ts'
import { optionId } from '../../emulator/recording/message-view.ts'
import { noRecording, type RecordedStep, type Recording, readRecording } from '../../emulator/recording/recording.ts'
import type { Service } from './test-service.ts'
import { type OutgoingLog, type OwnIds, turnOf } from './turn.ts'

/** `given`: a recording, or the path of its file. @throws SwitchhookError `options_invalid` */
export async function loadRecording(given: string | object): Promise<Recording> {
  if (typeof given !== 'string') return readRecording(given)
  let json: unknown
  try {
    json = JSON.parse(await readFile(given, 'utf8'))
  } catch (error) {
    throw noRecording(given, reasonOf(error), error)
  }
  return readRecording(json, given)
}

interface PlayDeps {
  readonly service: Pick<Service, 'number'>
  now(): number
  readonly outgoing: OutgoingLog
  readonly own: OwnIds
  /** Runs an input and all that follows from it, up to the time `until` or the end of the turn. @throws TurnFailed */
  act(run: () => Promise<unknown>, until?: number): Promise<unknown>
  isClosed(): boolean
}

/** Plays each step at its own time. Returns a transcript of what the app sent. */
export async function play({ steps }: Recording, deps: PlayDeps): Promise<string> {
  const begin = Date.parse(steps[0]?.at ?? '')
  if (begin < deps.now())
    throw optionsInvalid(
      `the recording begins at ${steps[0]?.at}, before this scenario: start the scenario earlier, scenario(bot, { at: '${steps[0]?.at}' })`,
    )
  const lines: string[] = []
  const record = async (step: RecordedStep | undefined, ...[run, until]: Parameters<PlayDeps['act']>) => {
    const before = deps.outgoing.count()
    const failure = await deps.act(run, until).then(() => undefined, failureOf)
    if (deps.isClosed()) throw optionsInvalid('the scenario was closed before the recording ended')
    const { sent } = turnOf(deps.outgoing.since(before), deps.own)
    const received = sent.map((one) => `  → ${describeReply(replyOf(one))}`)
    if (failure !== undefined) received.push(`  ! ${failure}`)
    if (step) lines.push(`${step.at} ${describeStep(step)}`)
    lines.push(...received)
  }

  for (const step of steps) {
    const at = Date.parse(step.at)
    await record(undefined, async () => {}, at)
    if (step.kind === 'time') await record(step, async () => {}, at + toMs(step.by as Duration))
    else await record(step, () => run(step, deps), deps.now())
  }
  await record(undefined, async () => {})
  return lines.join('\n')
}

/** A failed delivery, or an option that the phone does not show, becomes a line of the transcript. */
function failureOf(error: unknown): string {
  if (error instanceof SwitchhookError) return error.message.replaceAll('\n', '\n    ')
  throw error
}

async function run(step: Exclude<RecordedStep, { kind: 'time' }>, { service }: PlayDeps): Promise<unknown> {
  const { emulator } = service.number(step.number)
  if (step.kind === 'delivery') {
    const { event, payload, customer } = step
    if (customer === undefined) return emulator.events.fire({ event, payload })
    return emulator.events.fire({
      event,
      customer,
      opensWindow: true,
      payload: withShownOptions(payload, emulator.choices(customer)),
    })
  }
  const phone = emulator.customer(step.customer)
  if (step.kind === 'text') return phone.says(step.text)
  if (step.kind === 'media') return phone.sendsMedia(step.media)
  return phone.taps(optionId(step.option, emulator.choices(step.customer)))
}

/** Replaces recorded ids of options by those on the phone: each database signs ids of `tap()` with its own secret. */
export function withShownOptions<T extends object>(payload: T, choices: readonly { readonly id: string }[]): T {
  const current = (_: string, value: unknown) =>
    typeof value === 'string' ? (choices.find(({ id }) => isOption(id, withoutSignature(value)))?.id ?? value) : value
  return JSON.parse(JSON.stringify(payload), current) as T
}
