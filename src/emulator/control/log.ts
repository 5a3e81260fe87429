import { isObject, type JsonObject, parseJson } from '../http/json.ts'
import { type HttpAnswer, type HttpRequest, Refusal } from '../http/messages.ts'
import type { Timeline } from '../timeline.ts'
import { CONTROL_PREFIX } from './request.ts'

const PREFIX = `${CONTROL_PREFIX}/`

/** Answers a change through the control API, and logs on the timeline what was changed and how it was answered. */
export async function logged(
  timeline: Timeline,
  { method, path, body }: HttpRequest,
  answer: () => Promise<HttpAnswer>,
): Promise<HttpAnswer> {
  const route = path.slice(PREFIX.length)
  try {
    const answered = await answer()
    // A body with nothing to log is not parsed.
    const given = Object.hasOwn(LOGGED_MEMBERS, segmentOf(route)) ? parseJson(body) : undefined
    logChange(timeline, { method, route, status: answered.status }, given)
    return answered
  } catch (error) {
    if (error instanceof Refusal)
      timeline.add('control', { method, path, status: error.status, code: error.code ?? null })
    throw error
  }
}

interface Change {
  readonly method: string
  /** The path under the control API's prefix, for instance `faults`. */
  readonly route: string
  readonly status: number
}

export function logChange(timeline: Timeline, { method, route, status }: Change, given: unknown): void {
  const change = redactedChange(route, given)
  timeline.add('control', { method, path: PREFIX + route, status, ...(change !== undefined && { change }) })
}

/** The members of a change that everybody who follows the timeline may see, by the first segment of its path. */
const LOGGED_MEMBERS: Readonly<Record<string, readonly string[] | 'all'>> = {
  faults: ['rules'],
  account: ['plan', 'suspended', 'takeoverWindow', 'callbackOverride', 'numbers', 'rotate'],
  agent: ['on', 'answersFirst', 'answersAfterMs', 'says', 'handsOverOn'],
  templates: ['name', 'language', 'category', 'status'],
  keys: ['key'],
  assumptions: 'all',
}

/** Members that are never logged, at whatever depth: tokens, and bodies that a fault answers with. */
const SECRET_MEMBERS = ['accessToken', 'answer']

/** The longest change that is logged: nobody reads a longer one in a row of the timeline. */
const MAX_CHARACTERS = 1_000

/** A change without its secrets; undefined if nothing of it is to be logged. */
function redactedChange(route: string, change: unknown): JsonObject | undefined {
  if (!isObject(change)) return undefined
  const listed = LOGGED_MEMBERS[segmentOf(route)] ?? []
  const names = listed === 'all' ? Object.keys(change) : listed
  const members = names.filter((name) => change[name] !== undefined).map((name) => [name, change[name]] as const)
  const text = JSON.stringify(Object.fromEntries(members), (name, value: unknown) =>
    SECRET_MEMBERS.includes(name) ? undefined : value,
  )
  return members.length > 0 && text.length <= MAX_CHARACTERS ? (JSON.parse(text) as JsonObject) : undefined
}

function segmentOf(route: string): string {
  return route.split('/')[0] ?? ''
}
