import { type JsonObject, isObject, parseJson } from '../http/json.ts'
import { type HttpAnswer, type HttpRequest, Refusal } from '../http/messages.ts'
import type { Happenings } from '../timeline.ts'
import { CONTROL_PREFIX } from './request.ts'

const PREFIX = `${CONTROL_PREFIX}/`

/** Answers a change through the control API, and says on the stream what it was and how it was answered; never with what. */
export async function told(
  happenings: Happenings,
  { method, path, body }: HttpRequest,
  answer: () => Promise<HttpAnswer>,
): Promise<HttpAnswer> {
  const route = path.slice(PREFIX.length)
  try {
    const answered = await answer()
    tellChange(happenings, { method, route, status: answered.status }, isTellable(route) ? parseJson(body) : undefined)
    return answered
  } catch (error) {
    if (error instanceof Refusal)
      happenings.tell('control', { method, path, status: error.status, code: error.code ?? null })
    throw error
  }
}

interface Change {
  readonly method: string
  /** Under the control API's prefix: `faults`. */
  readonly route: string
  readonly status: number
}

export function tellChange(happenings: Happenings, { method, route, status }: Change, given: unknown): void {
  const change = toldOf(route, given)
  happenings.tell('control', { method, path: PREFIX + route, status, ...(change !== undefined && { change }) })
}

/** What of a change everybody who follows the stream may know, by the first segment of its path. */
const TELLABLE: Readonly<Record<string, readonly string[]>> = {
  faults: ['rules'],
  account: ['plan', 'suspended', 'takeoverWindow', 'callbackOverride', 'numbers', 'rotate'],
  agent: ['on', 'answersFirst', 'answersAfterMs', 'says', 'handsOverOn'],
  templates: ['name', 'language', 'category', 'status'],
  keys: ['key'],
  /** All of them. */
  assumptions: [],
}

/** In whatever depth: tokens, and bodies that a fault answers with. */
const NEVER_TOLD = ['accessToken', 'answer']

/** Nobody reads a longer one in a row of the timeline. */
const LONGEST = 1_000

/** Tells whether there is anything to tell of changes at a path such as `faults`: if not, their body is not read. */
export function isTellable(path: string): boolean {
  return Object.hasOwn(TELLABLE, segmentOf(path))
}

/** What was changed, as far as it is no secret; undefined where there is nothing to tell of it. */
export function toldOf(path: string, change: unknown): JsonObject | undefined {
  if (!isObject(change)) return undefined
  const about = segmentOf(path)
  const members = about === 'assumptions' ? Object.keys(change) : (TELLABLE[about] ?? [])
  const told = members.filter((name) => change[name] !== undefined).map((name) => [name, change[name]] as const)
  const text = JSON.stringify(Object.fromEntries(told), (name, value: unknown) =>
    NEVER_TOLD.includes(name) ? undefined : value,
  )
  return told.length > 0 && text.length <= LONGEST ? (JSON.parse(text) as JsonObject) : undefined
}

function segmentOf(path: string): string {
  return path.split('/')[0] ?? ''
}
