import { SwitchhookError } from '../base/errors.ts'
import type { AskedStep, Halt } from './replay.ts'
import type { ScriptRun } from './script-run.ts'

/**
 * Runs a script once more over all that it has done, and compares the two runs: a script that goes by the clock, by
 * chance or by other code does something else, and would be taken for a changed one in the days to come.
 *
 * @throws SwitchhookError `script_not_repeatable`, which names the first step that differs.
 */
export async function checkRepeats(name: string, run: ScriptRun, halt: Halt): Promise<void> {
  const { first, second } = await run.again('step' in halt ? halt.step : undefined)
  const at = Array.from({ length: Math.max(first.length, second.length) }, (_, place) => place).find(
    (place) => !isSame(first[place], second[place]),
  )
  if (at === undefined) return
  throw new SwitchhookError(
    'script_not_repeatable',
    `the script of the conversation "${name}" did not do the same again: step ${at + 1} ${difference(first[at], second[at])}. It runs again at every answer, so the time, chance and other code belong in chat.now() and chat.once()`,
  )
}

function isSame(one: AskedStep | undefined, other: AskedStep | undefined): boolean {
  return one?.kind === other?.kind && one?.name === other?.name && one?.said === other?.said
}

function difference(one: AskedStep | undefined, other: AskedStep | undefined): string {
  if (one && other && nameOf(one) === nameOf(other)) return `(${nameOf(one)}) had another content`
  return `${one ? `was ${nameOf(one)}` : 'was not reached'}, and then it was ${other ? nameOf(other) : 'not reached'}`
}

function nameOf({ kind, name }: AskedStep): string {
  return kind === 'once' || kind === 'enter' ? `chat.${kind}('${name}')` : `chat.${kind}`
}
