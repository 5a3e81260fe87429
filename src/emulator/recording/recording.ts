import { z } from 'zod'
import { type Duration, toMs } from '../../base/duration.ts'
import { optionsInvalid, type SwitchhookError } from '../../base/errors.ts'
import { PHONE_FORM, RECIPIENT_FORM } from '../../service/endpoints.ts'
import { approvedComponentSchema } from '../model/templates.ts'
import { EVENT_NAME_FORM } from '../../service/delivery.ts'
import { INBOUND_MEDIA_KINDS } from '../../service/message-kinds.ts'

/**
 * What customers did and which deliveries arrived, in time order, each with the replies of that time. `switchhook inbox
 * export` writes a recording. `scenario.play` and `switchhook play` read it.
 */
export type Recording = z.infer<typeof recordingSchema>
export type RecordedStep = z.infer<typeof stepSchema>
export type RecordedReply = z.infer<typeof replySchema>

const filled = z.string().min(1, 'expected a text, got an empty one')
const digits = z.string().regex(PHONE_FORM, 'expected the 6 to 15 digits of a phone number')

/** A template that the service has approved, on every number. */
export type ScenarioTemplate = { readonly name: string; readonly language: string } & (
  | {
      /** The text, with `{{1}}`, `{{2}}` … for its parameters. */
      readonly body: string
      readonly category?: 'UTILITY' | 'MARKETING'
    }
  | {
      /** A template with a header, a footer or buttons, in the format of the service's list. */
      readonly components: readonly z.input<typeof approvedComponentSchema>[]
      readonly category?: 'UTILITY' | 'MARKETING'
      readonly body?: never
    }
  /** A template for one-time codes. The service writes the text. */
  | { readonly category: 'AUTHENTICATION'; readonly body?: never; readonly components?: never }
)

const templateSchema: z.ZodType<ScenarioTemplate> = z.union([
  z.strictObject({ name: filled, language: filled, category: z.literal('AUTHENTICATION') }),
  z.strictObject({
    name: filled,
    language: filled,
    body: filled,
    category: z.enum(['UTILITY', 'MARKETING']).exactOptional(),
  }),
  z.strictObject({
    name: filled,
    language: filled,
    components: z.array(approvedComponentSchema).min(1),
    category: z.enum(['UTILITY', 'MARKETING']).exactOptional(),
  }),
])

/** One message of the business. `switchhook play` compares the members that are present. */
const replySchema = z.strictObject({
  to: z.string().regex(RECIPIENT_FORM, 'expected the 6 to 20 digits of a phone number').exactOptional(),
  text: z.string().exactOptional(),
  /** `interactive`, `image` …; absent for a text and for a template. */
  kind: filled.exactOptional(),
  template: z
    .strictObject({ name: filled, language: filled.exactOptional(), body: z.array(z.string()).exactOptional() })
    .exactOptional(),
  options: z.array(z.string()).exactOptional(),
  url: filled.exactOptional(),
  /** The service's error code. Absent if the service accepted the message. */
  refused: filled.exactOptional(),
})

/** `at`: service time. `replies`: every message sent until the next step; absent if they are unknown. */
const step = { at: z.iso.datetime(), replies: z.array(replySchema).exactOptional() }
/** The business's number, by its name in the bot or its `phoneNumberId`. Absent: the first number. */
const number = filled.exactOptional()

const stepSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('text'), ...step, customer: digits, number, text: filled }),
  /** `option`: the title or the id of a button, row or quick reply that the phone shows. */
  z.strictObject({ kind: z.literal('tap'), ...step, customer: digits, number, option: filled }),
  z.strictObject({
    kind: z.literal('media'),
    ...step,
    customer: digits,
    number,
    media: z.strictObject({
      kind: z.enum(INBOUND_MEDIA_KINDS),
      url: z.string().regex(/^https?:\/\//i, 'expected an http or https address'),
      mime: z.string().exactOptional(),
      filename: z.string().exactOptional(),
      caption: z.string().exactOptional(),
      durationMs: z.int().min(0).exactOptional(),
    }),
  }),
  z.strictObject({
    kind: z.literal('delivery'),
    ...step,
    event: z.string().regex(EVENT_NAME_FORM, "expected an event's name, such as order.paid"),
    payload: z.record(z.string(), z.unknown()),
    number,
    /** The customer whose message the payload is. It opens their window. */
    customer: digits.exactOptional(),
    /** What the customer wrote or tapped, for people who read the file. */
    text: z.string().exactOptional(),
  }),
  /** The clock was moved forward by this span. */
  z.strictObject({ kind: z.literal('time'), ...step, by: z.string().refine(isSpan, "expected a span such as '25h'") }),
])

const recordingSchema = z.strictObject({
  recording: z.literal(1, 'expected 1, the version of this format: a newer file needs a newer release'),
  name: filled,
  templates: z.array(templateSchema).exactOptional(),
  steps: z
    .array(stepSchema)
    .refine((all) => all.every(({ at }, index) => at >= (all[index - 1]?.at ?? '')), 'expected steps in time order'),
})

/**
 * `name`: the name of the file, for the error.
 *
 * @throws SwitchhookError `options_invalid`, naming each problem by its path.
 */
export function readRecording(json: unknown, name = 'this'): Recording {
  const read = recordingSchema.safeParse(json)
  if (read.success) return read.data
  throw noRecording(name, z.prettifyError(read.error), read.error)
}

export function noRecording(name: string, why: string, cause: unknown): SwitchhookError {
  return optionsInvalid(`${name} is not a recording: ${why}`, { cause })
}

function isSpan(text: string): boolean {
  try {
    return toMs(text as Duration) >= 0
  } catch {
    return false
  }
}
