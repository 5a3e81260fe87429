import { optionsInvalid } from '../../base/errors.ts'
import type { CompiledEntered, CompiledRoutes } from '../../bot/routes/compile.ts'
import type { EnterNext } from '../../bot/work/running-attempt.ts'
import { changedByJson } from '../../bot/work/json-value.ts'
import type { CustomerOfNumber } from '../../store/database/customer-tables.ts'
import { type ConversationDefinition, definitionOf } from './conversation.ts'
import type { NewEntry } from './store/conversations.ts'

export interface CompiledConversation extends CompiledEntered {
  readonly definition: ConversationDefinition
}

export function compiledNamed(name: string, routes: CompiledRoutes): CompiledConversation | undefined {
  return routes.entered.get(`conversation:${name}`) as CompiledConversation | undefined
}

/** @throws SwitchhookError `options_invalid` if this bot has no such conversation. */
export function compiledFor(made: object, routes: CompiledRoutes): CompiledConversation {
  const definition = definitionOf(made)
  for (const compiled of routes.entered.values())
    if (compiled.definition === definition) return compiled as CompiledConversation
  throw optionsInvalid(
    `enter(): the conversation "${definition.name}" is not registered in this bot: mount the routes that have it`,
  )
}

/** @throws SwitchhookError `options_invalid` if this bot has no such conversation, or the input has no JSON form. */
export function entryOf(
  made: object,
  input: unknown,
  routes: CompiledRoutes,
): Pick<NewEntry, 'name' | 'version' | 'input'> {
  const { name, definition } = compiledFor(made, routes)
  return { name, version: definition.version, input: inputJson(input) }
}

/** Resolves with false if the fence no longer holds. */
export async function enterNext(
  who: CustomerOfNumber,
  made: object,
  input: unknown,
  { key, routes, store, clock, fence }: EnterNext,
): Promise<boolean> {
  const entry = { ...who, ...entryOf(made, input, routes), key, at: clock.service() }
  return store.recordEntry(entry, clock.wall(), fence)
}

function inputJson(input: unknown): string | undefined {
  const [changed] = changedByJson(input)
  if (changed)
    throw optionsInvalid(
      `enter(): the input is kept as JSON, and ${changed.path || 'it'} is ${changed.what}, which JSON would change`,
    )
  try {
    return JSON.stringify(input)
  } catch (error) {
    throw optionsInvalid('enter(): the input is kept as JSON, and has no such form', {
      cause: error,
    })
  }
}
