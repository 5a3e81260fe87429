import { createInterface } from 'node:readline'
import { Interrupted } from './exit.ts'
import type { Io } from './io.ts'

/**
 * Asks a question at the terminal and resolves with the typed answer, or with undefined at the end of the input.
 * `nothingDone` is shown on Ctrl-C, such as "nothing was sent".
 *
 * @throws Interrupted
 */
export async function prompt(io: Io, question: string, nothingDone: string): Promise<string | undefined> {
  const terminal = createInterface({ input: io.stdin, output: io.stderr })
  const answer = Promise.withResolvers<string | undefined>()
  const leave = (how: () => void) => {
    io.err('')
    how()
  }
  terminal.once('SIGINT', () => leave(() => answer.reject(new Interrupted(`interrupted; ${nothingDone}`))))
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
