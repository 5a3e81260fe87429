import type { Turn } from './customer.ts'
import type { Shown } from './shown.ts'

/** A text in full, an expression for one, or what a reply has. */
export type Expected = string | RegExp | Partial<Shown>

/** What `expect.extend(turnMatchers)` adds, for the types of vitest or jest; see docs/testing.md. */
export interface TurnMatchers<R = unknown> {
  /** One of the turn's replies is like this: `expect(turn).toHaveReplied(/9 to 17/)`. */
  toHaveReplied(expected: Expected): R
  /** One of them offers an option with this id or title. */
  toHaveOffered(option: string): R
}

/** What a matcher finds as `this`, in vitest and in jest. */
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
  toHaveReplied(this: Matcher, { replies }: Turn, expected: Expected): Verdict {
    const pass = replies.some((reply) => isLike(reply, expected, this.equals))
    return { pass, message: () => told(this, { pass, replies, what: 'reply like', expected }) }
  },
  toHaveOffered(this: Matcher, { replies }: Turn, option: string): Verdict {
    const pass = replies.some(({ options }) => options.some(({ id, title }) => id === option || title === option))
    return { pass, message: () => told(this, { pass, replies, what: 'option', expected: option }) }
  },
}

function isLike(reply: Shown, expected: Expected, equals: Matcher['equals']): boolean {
  if (typeof expected === 'string') return reply.text === expected
  if (expected instanceof RegExp) return expected.test(reply.text)
  return equals(reply, { ...reply, ...expected })
}

function told(
  { utils }: Matcher,
  { pass, replies, what, expected }: { pass: boolean; replies: readonly Shown[]; what: string; expected: unknown },
): string {
  const came = replies.map(({ kind, text, options }) => {
    const offered = options.map(({ id, title }) => ` [${title}: ${id}]`).join('')
    return `\n- ${kind} ${utils.stringify(text)}${offered}`
  })
  const wanted = expected instanceof RegExp ? String(expected) : utils.stringify(expected)
  return `expected ${pass ? 'no' : 'a'} ${what} ${wanted}; there came:${came.join('') || ' nothing'}`
}
