import { createInterface } from 'node:readline'
import { Interrupted } from './exit.ts'
import type { Io } from './io.ts'

/**
 * Asks somebody at a terminal, and answers what they typed; undefined where they end their input. `not` says what has
 * not been done, for who interrupts it.
 *
 * @throws Interrupted
 */
export async function prompt(io: Io, question: string, not: string): Promise<string | undefined> {
  const terminal = createInterface({ input: io.stdin, output: io.stderr })
  const answer = Promise.withResolvers<string | undefined>()
  const leave = (how: () => void) => {
    io.err('')
    how()
  }
  terminal.once('SIGINT', () => leave(() => answer.reject(new Interrupted(`interrupted; ${not}`))))
  const gone = () => leave(() => answer.resolve(undefined))
  terminal.once('close', gone)
  terminal.question(question, (typed) => answer.resolve(typed.trim()))
  try {
    return await answer.promise
  } finally {
    terminal.off('close', gone)
    terminal.close()
  }
}
