/** A language model behind one interface: a stub for tests and for your terminal, and the SDK of a provider. */
import { setTimeout as wait } from 'node:timers/promises'

export interface Turn {
  readonly role: 'user' | 'assistant' | 'tool'
  readonly content: string
}

/** A function of your app that the model may call. */
export interface Tool {
  readonly name: string
  readonly description: string
  /** JSON schema of its input. */
  readonly input: Readonly<Record<string, unknown>>
}

export interface Question {
  readonly turns: readonly Turn[]
  readonly tools: readonly Tool[]
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal
}

/** The model's next turn: a text for the customer, or calls of tools whose results it wants first. It is stored as JSON. */
export type Answer =
  | { readonly text: string }
  | { readonly calls: readonly { readonly tool: string; readonly input: Readonly<Record<string, unknown>> }[] }

export type Model = (question: Question) => Promise<Answer>

/** The part of the package `openai` that is used here, and of every service with the same interface. */
interface ChatClient {
  readonly chat: {
    readonly completions: {
      create(
        request: object,
        options: { signal: AbortSignal },
      ): Promise<{ choices: readonly { message: ChatMessage }[] }>
    }
  }
}

interface ChatMessage {
  readonly content?: string | null
  readonly tool_calls?: readonly { readonly function: { readonly name: string; readonly arguments: string } }[] | null
}

/**
 * A model by its provider's SDK: `overChat(new OpenAI(), 'gpt-…')`. For another SDK write the same few lines.
 *
 * @param maxTokens the longest answer.
 */
export function overChat(client: ChatClient, model: string, maxTokens = 500): Model {
  return async ({ turns, tools, signal }) => {
    const request = {
      model,
      max_tokens: maxTokens,
      // A tool's result is sent as a turn of the user, so that no ids of calls are needed.
      messages: turns.map(({ role, content }) => ({ role: role === 'tool' ? 'user' : role, content })),
      tools: tools.map(({ name, description, input }) => ({
        type: 'function',
        function: { name, description, parameters: input },
      })),
    }
    const { choices } = await client.chat.completions.create(request, { signal })
    const message = choices[0]?.message
    const calls = message?.tool_calls ?? []
    if (calls.length === 0) return { text: message?.content ?? '' }
    return {
      calls: calls.map(({ function: { name, arguments: input } }) => ({
        tool: name,
        input: JSON.parse(input) as Record<string, unknown>,
      })),
    }
  }
}

/** A stub, so that you need no key and nothing leaves your machine. */
export const stub: Model = async ({ turns, signal }) => {
  const last = turns.at(-1)
  if (last?.role === 'tool') return { text: `I have looked: ${last.content}.` }
  const asked = last?.content ?? ''
  const order = /order (\d+)/i.exec(asked)?.[1]
  if (order !== undefined) return { calls: [{ tool: 'order_status', input: { order } }] }
  if (/person|mtu/i.test(asked)) return { calls: [{ tool: 'hand_over', input: { why: asked } }] }
  if (/think|fikiri/i.test(asked)) {
    await wait(15_000, undefined, { signal })
    return { text: 'I have thought about it for a quarter of a minute.' }
  }
  if (/my name\?/i.test(asked)) {
    const name = turns.map(({ content }) => /my name is (\p{L}+)/iu.exec(content)?.[1]).findLast(Boolean)
    return { text: name ? `Your name is ${name}.` : 'You have not told me yet.' }
  }
  const told = /my name is (\p{L}+)/iu.exec(asked)?.[1]
  if (told !== undefined) return { text: `Nice to meet you, ${told}.` }
  return { text: 'Tell me your name ("my name is Asha"), ask "where is order 7?", say "think", or ask for a person.' }
}
