import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { SwitchhookError } from '../../base/errors.ts'

const LONGEST_MS = 30_000

/** Asks a command of the user's for the number of effects so far: the last line that it prints. */
export function observer(command: string): () => Promise<number> {
  return async () => {
    const child = spawn(command, { shell: true, stdio: ['ignore', 'pipe', 'inherit'], timeout: LONGEST_MS })
    const [printed, [code]] = await Promise.all([text(child.stdout), once(child, 'close') as Promise<[number | null]>])
    const last = printed.trimEnd().split('\n').at(-1)?.trim() ?? ''
    if (code === 0 && /^\d{1,15}$/.test(last)) return Number(last)
    const came = code === 0 ? `printed ${JSON.stringify(last.slice(0, 80))}` : `ended with ${code ?? 'a signal'}`
    throw new SwitchhookError(
      'options_invalid',
      `--observe: expected a command that prints a count of effects, it ${came}`,
    )
  }
}
