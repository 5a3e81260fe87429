import { createInterface } from 'node:readline'
import { Interrupted, RefusedForSafety } from './exit.ts'
import { type Io, isInteractive } from './io.ts'

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

/**
 * Asks before the act that `what` names. @throws RefusedForSafety if nobody agrees or can be asked. @throws Interrupted
 */
export async function askBefore(io: Io, what: string, json: boolean | undefined, nothingDone: string): Promise<void> {
  if (json || !isInteractive(io)) throw new RefusedForSafety(`this would ${what}: pass --yes`)
  const answer = await prompt(io, `This will ${what}. Continue? [y/N] `, nothingDone)
  if (!/^y(?:es)?$/i.test(answer ?? '')) throw new RefusedForSafety(`nobody confirmed it; ${nothingDone}`)
}
