import { codePoints, type Interactive, LIMITS, type SendRequest } from '../contract/index.ts'
import { addressProblem, expiryOf } from './address.ts'
import { FETCHED, FILLED, LENGTHS, type Limit, valuesAt } from './limit-table.ts'
import { LONGEST_NUMBER } from './recipient.ts'

/**
 * Which limits of the service a send's body passes, each with its place, what came and what to do. Lengths are
 * counted in code points; no text of the message is repeated.
 */
export function problemsOf(send: SendRequest): string[] {
  return [
    ...overLimit('to', send.to.length, LIMITS.to, 'digits', 'write it in full international format'),
    ...FILLED.flatMap((path) => valuesAt(send, path)).flatMap(blank),
    ...LENGTHS.flatMap(([path, limit, advice]) =>
      valuesAt(send, path).flatMap(({ place, value }) =>
        overLimit(place, codePoints(value), limit, 'characters', advice),
      ),
    ),
    ...(send.interactive ? ofInteractive(send.interactive) : []),
    ...FETCHED.flatMap((path) => valuesAt(send, path)).flatMap(({ place, value }) => {
      const why = addressProblem(value)
      return why === undefined ? [] : [`${place}: ${why}`]
    }),
  ]
}

const SOON_SECONDS = 3_600

/** What is no breach and may still go wrong. */
export function doubtsOf(send: SendRequest): string[] {
  const digits =
    send.to.length > LONGEST_NUMBER
      ? [`to: ${send.to.length} digits, phone numbers have at most ${LONGEST_NUMBER}`]
      : []
  const expiring = FETCHED.flatMap((path) => valuesAt(send, path)).filter(({ value }) => expiryOf(value) < SOON_SECONDS)
  return [
    ...digits,
    ...expiring.map(({ place }) => `${place}: ends within the hour, and the upstream platform may fetch it later`),
  ]
}

function overLimit(place: string, came: number, { min = 0, max }: Limit, what: string, advice: string): string[] {
  if (came < min) return [`${place}: ${came} ${what}, at least ${min}: fill it`]
  return came > max ? [`${place}: ${came} ${what}, at most ${max}: ${advice}`] : []
}

function blank({ place, value }: { place: string; value: string }): string[] {
  return value.trim() === '' ? [`${place}: ${codePoints(value)} characters, must not be blank`] : []
}

function ofInteractive({ type, buttons, sections, cta }: Interactive): string[] {
  if (type === 'buttons') return ofButtons(buttons ?? [])
  if (type === 'list') return ofSections(sections ?? [])
  const isWeb = /^https?:\/\//i.test(cta?.url ?? '') && URL.canParse(cta?.url ?? '')
  return isWeb ? [] : ['interactive.cta.url: no whole http or https address: begin it with https://']
}

function ofButtons(buttons: NonNullable<Interactive['buttons']>): string[] {
  const { min, max } = LIMITS.buttons
  const at = 'interactive.buttons'
  const ids = buttons.map(({ id }, index) => ({ id, place: `${at}[${index}].id` }))
  return [
    ...(buttons.length < min ? [`${at}: 0 buttons, at least ${min}: add one`] : []),
    ...(buttons.length > max
      ? [`${at}: ${buttons.length} buttons, at most ${max}: use list() for up to ${LIMITS.rows.max}`]
      : []),
    ...repeats(ids),
  ]
}

function ofSections(sections: NonNullable<Interactive['sections']>): string[] {
  const { min, max } = LIMITS.rows
  const at = 'interactive.sections'
  const ids = sections.flatMap(({ rows }, s) => rows.map(({ id }, r) => ({ id, place: `${at}[${s}].rows[${r}].id` })))
  const empty = sections.flatMap(({ rows }, s) =>
    rows.length === 0 ? [`${at}[${s}].rows: 0 rows, at least 1: leave the section out`] : [],
  )
  return [
    ...empty,
    ...(ids.length < min && empty.length === 0 ? [`${at}: 0 rows in total, at least ${min}: add one`] : []),
    ...(ids.length > max
      ? [`${at}: ${ids.length} rows in total, at most ${max}: show fewer, with a row for the rest`]
      : []),
    ...repeats(ids),
  ]
}

function repeats(ids: readonly { readonly id: string; readonly place: string }[]): string[] {
  const first = new Map<string, string>()
  return ids.flatMap(({ id, place }) => {
    const before = first.get(id)
    if (before !== undefined) return [`${place}: repeats that of ${before}, so a tap could not be told from the other`]
    first.set(id, place)
    return []
  })
}
