import { SwitchhookError } from '../base/errors.ts'
import { type CompiledConversation, type CompiledRoutes, type Conversation, definitionOf } from '../routes/index.ts'
import type { NewEntry } from '../stores/port/index.ts'

/** @throws SwitchhookError `options_invalid` if the conversation is not one of this bot's. */
export function compiledFor(made: Conversation<never>, routes: CompiledRoutes): CompiledConversation {
  const definition = definitionOf(made)
  for (const compiled of routes.conversations.values()) if (compiled.definition === definition) return compiled
  throw new SwitchhookError(
    'options_invalid',
    `enter(): the conversation "${definition.name}" is not registered in this bot: mount the routes that have it`,
  )
}

/**
 * Makes the stored form of the wish to enter a conversation.
 *
 * @throws SwitchhookError `options_invalid` if it is not one of this bot's, or the input has no JSON form.
 */
export function entryOf(
  made: Conversation<never>,
  input: unknown,
  routes: CompiledRoutes,
): Pick<NewEntry, 'name' | 'version' | 'input'> {
  const { name, definition } = compiledFor(made, routes)
  return { name, version: definition.version, input: inputJson(input) }
}

function inputJson(input: unknown): string | undefined {
  try {
    return JSON.stringify(input)
  } catch (error) {
    throw new SwitchhookError('options_invalid', 'enter(): the input is kept as JSON, and has no such form', {
      cause: error,
    })
  }
}
