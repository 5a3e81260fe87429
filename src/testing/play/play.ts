import { z } from 'zod'
import { type Duration, toMs } from '../../base/duration.ts'
import { optionsInvalid, reasonOf, SwitchhookError } from '../../base/errors.ts'
import { EVENT_NAME_FORM, INBOUND_MEDIA_KINDS } from '../../contract/index.ts'
import { PHONE_FORM, RECIPIENT_FORM } from '../../contract/limits.ts'
import type { Customer, Stage, Turn } from '../turn.ts'
import { difference } from './compare.ts'
import { type CustomerAct, describeStep, type PlayFile, type PlayStep, type Written } from './file.ts'

/** A step of a played file brought something other than the file expects. `code` is `play_failed`. */
export class PlayFailed extends SwitchhookError {
  /** The step, counted from 1. */
  readonly step: number

  constructor(file: PlayFile, index: number, what: string, options?: { cause: unknown }) {
    const step = file.steps[index] as PlayStep
    const message = `"${file.name}" falls at step ${index + 1} of ${file.steps.length}, ${describeStep(step)}:\n${what}`
    super('play_failed', message, options)
    this.name = 'PlayFailed'
    this.step = index + 1
  }
}

/** Runs one step after another. @throws PlayFailed at the first step that fails. */
export async function play(stage: Stage, file: PlayFile): Promise<void> {
  for (const [index, step] of file.steps.entries()) {
    const { sent } = await run(stage, step).catch((error: unknown) => {
      throw new PlayFailed(file, index, reasonOf(error), { cause: error })
    })
    const differs = step.expect && difference(step.expect, sent)
    if (differs !== undefined) throw new PlayFailed(file, index, differs)
  }
}

async function run(stage: Stage, step: PlayStep): Promise<Turn> {
  if ('advance' in step) return stage.advance(step.advance as Duration)
  const to = step.number === undefined ? {} : { number: step.number }
  if ('event' in step) return stage.event(step.event, step.payload, to)
  return act(stage.customer(step.customer, to), step)
}

async function act(customer: Customer, step: CustomerAct): Promise<Turn> {
  if ('taps' in step) return customer.taps(step.taps)
  const all = 'writes' in step ? step.writes : [step]
  const turns = await Promise.all(all.map((one) => write(customer, one)))
  // The turn that began first has all that went out since.
  return turns[0] as Turn
}

function write(customer: Customer, one: Written): Promise<Turn> {
  if ('says' in one) return customer.says(one.says)
  const { kind, ...media } = one.sends
  return customer.sends(kind, media)
}

// ── checking a file ─────────────────────────────────────────────────────────────────────────────────

const digits = z.string().regex(PHONE_FORM, 'expected the 6 to 15 digits of a phone number')
const filled = z.string().min(1, 'expected a text, got an empty one')

const templateSchema = z.union([
  z.strictObject({ name: filled, language: filled, category: z.literal('AUTHENTICATION') }),
  z.strictObject({
    name: filled,
    language: filled,
    body: filled,
    category: z.enum(['UTILITY', 'MARKETING']).exactOptional(),
  }),
])

const mediaSchema = z.strictObject({
  kind: z.enum(INBOUND_MEDIA_KINDS),
  url: z.string().regex(/^https?:\/\//i, 'expected an http or https address'),
  mime: z.string().exactOptional(),
  filename: z.string().exactOptional(),
  caption: z.string().exactOptional(),
  durationMs: z.int().min(0).exactOptional(),
})

const expectedSchema = z.strictObject({
  to: z.string().regex(RECIPIENT_FORM, 'expected the 6 to 20 digits of a phone number').exactOptional(),
  text: z.string().exactOptional(),
  kind: z.string().exactOptional(),
  template: z
    .strictObject({ name: filled, language: filled.exactOptional(), body: z.array(z.string()).exactOptional() })
    .exactOptional(),
  options: z.array(z.string()).exactOptional(),
  refused: filled.exactOptional(),
})

const expect = z.array(expectedSchema).exactOptional()
const number = filled.exactOptional()

/** The schema of each kind of step, by the member that names the kind. */
const STEPS = {
  says: z.strictObject({ customer: digits, number, says: filled, expect }),
  taps: z.strictObject({ customer: digits, number, taps: filled, expect }),
  sends: z.strictObject({ customer: digits, number, sends: mediaSchema, expect }),
  writes: z.strictObject({
    customer: digits,
    number,
    writes: z
      .array(z.union([z.strictObject({ sends: mediaSchema }), z.strictObject({ says: filled })]))
      .min(1, 'expected at least one message'),
    expect,
  }),
  event: z.strictObject({
    event: z.string().regex(EVENT_NAME_FORM, "expected an event's name, such as order.paid"),
    payload: z.record(z.string(), z.unknown()),
    number,
    expect,
  }),
  advance: z.strictObject({ advance: z.string().refine(isSpan, "expected a span such as '90s' or '25h'"), expect }),
} as const satisfies Record<string, z.ZodType<PlayStep>>

const fileSchema = z.strictObject({
  switchhook: z.literal(1, 'expected 1, the version of this form: a newer file needs a newer release'),
  name: filled,
  templates: z.array(templateSchema).exactOptional(),
  steps: z.array(z.unknown()).min(1, 'expected at least one step'),
})

/**
 * Checks a file that was parsed from its JSON.
 *
 * @throws SwitchhookError `options_invalid`, naming each problem by its path, such as `steps[2].expect[0].text`.
 */
export function readPlayFile(json: unknown): PlayFile {
  const file = checked(json, fileSchema, '')
  return { ...file, steps: file.steps.map((step, index) => readStep(step, `steps[${index}]`)) }
}

function readStep(step: unknown, at: string): PlayStep {
  const names = Object.keys(STEPS) as (keyof typeof STEPS)[]
  const given = names.filter((name) => typeof step === 'object' && step !== null && name in step)
  const [name] = given
  if (name !== undefined && given.length === 1) return checked<PlayStep>(step, STEPS[name], at)
  const got = typeof step === 'object' && step !== null ? Object.keys(step).join(', ') : JSON.stringify(step)
  throw invalid([`${at}: expected one of ${names.join(', ')}, got ${got || 'nothing'}`])
}

function checked<T>(value: unknown, schema: z.ZodType<T>, at: string): T {
  const read = schema.safeParse(value)
  if (read.success) return read.data
  throw invalid(read.error.issues.flatMap((issue) => describeIssue(issue, at)))
}

function describeIssue(issue: z.core.$ZodIssue, at: string): string[] {
  const path = [at, ...issue.path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))].join('')
  const place = path.replace(/^\./, '') || 'the file'
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => `${place}: there is no ${JSON.stringify(key)} here`)
  // Of the two forms of a template, nearly everybody means the one with a text.
  if (issue.code === 'invalid_union') return (issue.errors.at(-1) ?? []).flatMap((one) => describeIssue(one, path))
  const what = issue.message.replace(/^Invalid (input|option): /, '')
  return [`${place}: ${what.replace(/, received undefined$/, ', and it is missing')}`]
}

function invalid(problems: readonly string[]): SwitchhookError {
  return optionsInvalid(`this is no conversation to play: ${problems.join('; ')}`)
}

function isSpan(text: string): boolean {
  try {
    return toMs(text as Duration) >= 0
  } catch {
    return false
  }
}
