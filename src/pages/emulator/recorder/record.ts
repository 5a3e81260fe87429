import { PHONE_FORM } from '../../../service/endpoints.ts'
import { INBOUND_MEDIA_KINDS } from '../../../service/message-kinds.ts'
import { choicesOn } from '../../../emulator/model/thread.ts'
import { replyOf, describeReply, describeStep } from '../../../emulator/recording/describe-recording.ts'
import { messageView } from '../../../emulator/recording/message-view.ts'
import type { CustomerStep, RecordedStep, Recording, ScenarioTemplate } from '../../../emulator/recording/recording.ts'
import { isJsonObject } from '../../ui/text/json.ts'
import { type Happening, type ListedTemplate, tappedOption, type ThreadItem } from '../wire/wire-types.ts'

export interface Range {
  readonly after: string
  readonly until?: string
}

/**
 * Turns happenings into steps: a customer's message, a jump of the clock, and an event that does not follow from
 * messages. `payloads` are those of the events, by id. Messages from the dashboard and from the service's agent are
 * left out, because a test has neither.
 */
export function record(
  happenings: readonly Happening[],
  { after, until }: Range,
  payloads: ReadonlyMap<string, unknown> = new Map(),
): RecordedStep[] {
  const steps: (RecordedStep & { replies: NonNullable<RecordedStep['replies']> })[] = []
  const begin = (step: RecordedStep | undefined) => step && steps.push({ ...step, replies: [] })
  const phones = new Map<string, Map<string, ThreadItem>>()
  const first = happenings.findIndex(({ id }) => id === after) + 1
  const last = until === undefined ? happenings.length : happenings.findIndex(({ id }) => id === until) + 1

  for (const [index, happening] of happenings.slice(0, last).entries()) {
    const isRecording = index >= first
    if (happening.kind === 'thread') {
      const { customer, item } = happening
      const phone = phones.get(customer) ?? new Map<string, ThreadItem>()
      phones.set(customer, phone)
      // A known item has a new status.
      if (isRecording && !phone.has(item.id)) {
        if (item.direction === 'INBOUND') begin(stepOf(customer, item, [...phone.values()]))
        else if (item.by === undefined) steps.at(-1)?.replies.push(replyOf({ to: customer, ...messageView(item) }))
      }
      phone.set(item.id, item)
    } else if (happening.kind === 'clock' && isRecording) {
      const { clock, movedMs: byMs } = happening
      // Steps are in time order.
      if (byMs < 0) steps.splice(0)
      if (byMs > 0) begin({ kind: 'time', at: isoBefore(clock.now, byMs), by: toDuration(byMs) })
    } else if (happening.kind === 'event' && isRecording) {
      const { id, event } = happening.event
      const payload = payloads.get(id)
      // The events of messages follow from the messages.
      if (!event.startsWith('message.') && isJsonObject(payload))
        begin({ kind: 'delivery', at: happening.at, event, payload })
    } else if (happening.kind === 'resync' && isRecording) {
      steps.splice(0)
    }
  }
  return steps
}

function isoBefore(now: string, ms: number): string {
  return new Date(Date.parse(now) - ms).toISOString()
}

const DURATION_UNITS = [
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const

/**
 * A span in its largest whole unit, as scenario files write it: `25h`, `90m`. Above a minute, milliseconds are dropped.
 */
function toDuration(ms: number): string {
  const whole = ms >= 60_000 ? ms - (ms % 1_000) : Math.round(ms)
  const [name, size] = DURATION_UNITS.find(([, size]) => whole % size === 0) ?? ['ms', 1]
  return `${whole / size}${name}`
}

/** The step of a customer's message; undefined if no step can repeat it. `before` is what was on the phone. */
function stepOf(customer: string, item: ThreadItem, before: readonly ThreadItem[]): CustomerStep | undefined {
  // Other recipients can get messages, but nobody can write as them.
  if (!PHONE_FORM.test(customer)) return undefined
  const { at, kind, text, media, number } = item
  const who = { at, customer, ...(number !== undefined && { number }) }
  const tapped = tappedOption(item)
  if (tapped) {
    // Ids change from run to run, so the title names the option unless another option has the same title.
    const shown = choicesOn(before).find(({ title }) => title === tapped.title)
    return { kind: 'tap', ...who, option: shown && shown.id !== tapped.id ? tapped.id : tapped.title }
  }
  const mediaKind = media && INBOUND_MEDIA_KINDS.find((one) => one === media.kind)
  if (media && mediaKind) return { kind: 'media', ...who, media: { ...media, kind: mediaKind } }
  if (media || !text) return undefined
  return kind === 'button' ? { kind: 'tap', ...who, option: text } : { kind: 'text', ...who, text }
}

export function recordingOf(
  name: string,
  steps: readonly RecordedStep[],
  listed: readonly ListedTemplate[],
): Recording {
  const used = steps.flatMap(({ replies = [] }) => replies.flatMap(({ template }) => template ?? []))
  const isUsed = ({ name, language }: ListedTemplate) =>
    used.some((one) => one.name === name && one.language === language)
  const templates = listed.filter(isUsed).flatMap(({ name, language, category, components }): ScenarioTemplate[] => {
    if (category === 'AUTHENTICATION') return [{ name, language, category }]
    const body = components.find(({ type }) => type === 'BODY')?.text
    return body === undefined ? [] : [{ name, language, body, ...(category === 'MARKETING' && { category }) }]
  })
  return {
    recording: 1,
    name: name.trim() || 'a conversation',
    ...(templates.length > 0 && { templates }),
    steps: [...steps],
  }
}

/** The source text of a vitest test for a recording. The test imports the bot from `../src/bot.ts`. */
export function testOf({ templates, ...recording }: Recording): string {
  const { name, steps } = recording
  const options = { at: steps[0]?.at, ...(templates && { templates }) }
  const transcript = steps.flatMap((step) => [
    `${step.at} ${describeStep(step)}`,
    ...(step.replies ?? []).map((reply) => `  → ${describeReply(reply)}`),
  ])
  return [
    "import { expect, it } from 'vitest'",
    "import { scenario } from 'switchhook/testing'",
    "import { bot } from '../src/bot.ts'",
    '',
    `const recording = ${JSON.stringify(recording, undefined, 2)}`,
    '',
    `it(${JSON.stringify(name)}, async () => {`,
    `  await using s = await scenario(bot, ${JSON.stringify(options)})`,
    `  expect((await s.play(recording)).split('\\n')).toEqual(${JSON.stringify(transcript, undefined, 2).replaceAll('\n', '\n  ')})`,
    '})',
    '',
  ].join('\n')
}
