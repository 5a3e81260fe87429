/** A stub instead of a language model. Your own model gets the same conversation and the same signal. */
import { setTimeout as wait } from 'node:timers/promises'

export interface Turn {
  readonly role: 'user' | 'assistant'
  readonly content: string
}

/** Gives the assistant's next turn. The signal is aborted when nobody waits for it any more. */
export type Model = (conversation: readonly Turn[], signal: AbortSignal) => Promise<string>

export const stub: Model = async (conversation, signal) => {
  const asked = conversation.findLast(({ role }) => role === 'user')?.content ?? ''
  if (/think|fikiri/i.test(asked)) {
    await wait(15_000, undefined, { signal })
    return 'I have thought about it for a quarter of a minute.'
  }
  if (/my name\?/i.test(asked)) {
    const name = conversation.map(({ content }) => /my name is (\p{L}+)/iu.exec(content)?.[1]).findLast(Boolean)
    return name ? `Your name is ${name}.` : 'You have not told me yet.'
  }
  const told = /my name is (\p{L}+)/iu.exec(asked)?.[1]
  if (told !== undefined) return `Nice to meet you, ${told}.`
  return 'Tell me your name ("my name is Asha"), ask "what is my name?", or say "think".'
}
