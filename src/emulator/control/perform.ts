import type { z } from 'zod'
import { isObject, type JsonObject } from '../http/json.ts'
import { Refusal } from '../http/messages.ts'
import type { Timeline } from '../timeline.ts'
import type { World } from '../world.ts'
import type { Operation } from './operations.ts'
import { checked, CONTROL_PREFIX } from './request.ts'

interface Asked {
  readonly given: unknown
  /** The value of the path's variable segment. */
  readonly value?: string
  readonly query?: URLSearchParams
}

/** Performs an operation of the control API, and logs a change on the timeline. Throws a `Refusal`. */
export async function perform<In extends z.ZodType, Out>(
  world: World,
  operation: Operation<In, Out>,
  { given, value = '', query = new URLSearchParams() }: Asked,
): Promise<Awaited<Out>> {
  const run = async () => operation.run(world, checked(given, operation.schema), value, query)
  if (operation.method === 'GET') return await run()
  const { method } = operation
  const path = `${CONTROL_PREFIX}/${operation.path.replace(/:\w+/, value)}`
  try {
    const result = await run()
    logChange(world.timeline, { method, path }, given)
    return result
  } catch (error) {
    if (error instanceof Refusal)
      world.timeline.add('control', { method, path, status: error.status, code: error.code ?? null })
    throw error
  }
}

function logChange(timeline: Timeline, about: { method: string; path: string }, given: unknown): void {
  const change = redactedChange(about.path.slice(CONTROL_PREFIX.length + 1), given)
  timeline.add('control', { ...about, status: 200, ...(change !== undefined && { change }) })
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
  const listed = LOGGED_MEMBERS[route.split('/')[0] ?? '']
  if (listed === undefined || !isObject(change)) return undefined
  const names = listed === 'all' ? Object.keys(change) : listed
  const members = names.filter((name) => change[name] !== undefined).map((name) => [name, change[name]] as const)
  const text = JSON.stringify(Object.fromEntries(members), (name, value: unknown) =>
    SECRET_MEMBERS.includes(name) ? undefined : value,
  )
  return members.length > 0 && text.length <= MAX_CHARACTERS ? (JSON.parse(text) as JsonObject) : undefined
}
