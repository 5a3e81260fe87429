import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { optionsInvalid } from '../../base/errors.ts'
import { endGroupWithParent, HAS_GROUPS, signalGroup } from '../support/process-group.ts'

const LONGEST_MS = 30_000

/** Runs the user's command for the number of effects so far: the last line that it prints. */
export function createObserver(command: string, longestMs = LONGEST_MS): () => Promise<number> {
  return async () => {
    const child = spawn(command, { shell: true, stdio: ['ignore', 'pipe', 'inherit'], detached: HAS_GROUPS })
    using _guard = endGroupWithParent(child, 0)
    let late = false
    const timer = setTimeout(() => {
      late = true
      // The shell and its children, which may run for ever as `tail -f` does.
      signalGroup(child, 'SIGKILL')
      child.stdout.destroy()
    }, longestMs)
    const [printed, [code]] = await Promise.all([
      text(child.stdout).catch(() => ''),
      once(child, 'close') as Promise<[number | null]>,
    ])
    clearTimeout(timer)
    const last = printed.trimEnd().split('\n').at(-1)?.trim() ?? ''
    if (!late && code === 0 && /^\d{1,15}$/.test(last)) return Number(last)
    const came = late ? `had not ended after ${longestMs / 1_000} s` : outcomeText(code, last)
    throw optionsInvalid(`--observe: expected a command that prints a count of effects, it ${came}`)
  }
}

function outcomeText(code: number | null, last: string): string {
  return code === 0 ? `printed ${JSON.stringify(last.slice(0, 80))}` : `ended with ${code ?? 'a signal'}`
}
