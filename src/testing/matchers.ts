import { difference } from './play/compare.ts'
import type { PlayExpected } from './play/file.ts'
import type { Shown } from './message-view.ts'
import type { Turn } from './turn.ts'

/** A whole text, an expression for it, or members of a reply. */
export type Expected = string | RegExp | Partial<Shown>

/** The types of `expect.extend(turnMatchers)`, for vitest or jest; see docs/testing.md. */
export interface TurnMatchers<R = unknown> {
  /** One of the turn's replies matches: `expect(turn).toHaveReplied(/9 to 17/)`. */
  toHaveReplied(expected: Expected): R
  /** One of the turn's replies offers an option with this id or title. */
  toHaveOffered(option: string): R
  /** All messages of the turn, to anyone and in their order, match: `expect(turn).toHaveSent([{ text: 'hi' }])`. */
  toHaveSent(expected: readonly PlayExpected[]): R
}

/** The `this` of a matcher, in vitest and in jest. */
interface Matcher {
  readonly equals: (one: unknown, other: unknown) => boolean
  readonly utils: { stringify(value: unknown): string }
}

interface Verdict {
  readonly pass: boolean
  message(): string
}

/** For `expect.extend` of vitest or jest. */
export const turnMatchers = {
  toHaveReplied(this: Matcher, { replies, sent }: Turn, expected: Expected): Verdict {
    const pass = replies.some((reply) => matches(reply, expected, this.equals))
    return { pass, message: () => failureMessage(this, { pass, replies, sent, what: 'a reply like', expected }) }
  },
  toHaveOffered(this: Matcher, { replies, sent }: Turn, option: string): Verdict {
    const pass = replies.some(({ options }) => options.some(({ id, title }) => id === option || title === option))
    return { pass, message: () => failureMessage(this, { pass, replies, sent, what: 'an option', expected: option }) }
  },
  toHaveSent(this: Matcher, { sent }: Turn, expected: readonly PlayExpected[]): Verdict {
    const differs = difference(expected, sent)
    const message = () =>
      differs === undefined ? 'expected something else to be sent' : `the turn sent something else:\n${differs}`
    return { pass: differs === undefined, message }
  },
}

function matches(reply: Shown, expected: Expected, equals: Matcher['equals']): boolean {
  if (typeof expected === 'string') return reply.text === expected
  // Not test(): an expression with the flag g would continue at the index where it ended in the reply before.
  if (expected instanceof RegExp) return reply.text.search(expected) !== -1
  return equals(reply, { ...reply, ...expected })
}

interface MatchResult extends Pick<Turn, 'replies' | 'sent'> {
  readonly pass: boolean
  readonly what: string
  readonly expected: unknown
}

function failureMessage({ utils }: Matcher, { pass, replies, sent, what, expected }: MatchResult): string {
  const came = replies.map(({ kind, text, options }) => {
    const offered = options.map(({ id, title }) => ` [${title}: ${id}]`).join('')
    return `\n- ${kind} ${utils.stringify(text)}${offered}`
  })
  // A refused send may be the reply that is missing.
  const refusals = sent.map(({ to, kind, text, refused }) =>
    refused === undefined ? '' : `\n- to ${to}, refused as ${refused.code}: ${kind} ${utils.stringify(text)}`,
  )
  const wanted = expected instanceof RegExp ? String(expected) : utils.stringify(expected)
  return `expected ${pass ? `not ${what}` : what} ${wanted}; there came:${came.join('') || ' nothing'}${refusals.join('')}`
}
