import { spawnSync } from 'node:child_process'
import { delimiter, resolve } from 'node:path'

export const root = resolve(import.meta.dirname, '..')

/** Runs a command in the checkout, with the repository's own programs first. Its outputs come together, as a person reads them. */
export function run(command: string, ...args: string[]): { ok: boolean; output: string } {
  const path = [resolve(root, 'node_modules/.bin'), process.env['PATH']].join(delimiter)
  const environment = { ...process.env, PATH: path, NO_COLOR: '1', FORCE_COLOR: '0' }
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd: root, env: environment, encoding: 'utf8' })
  return { ok: status === 0, output: error?.message ?? `${stdout}${stderr}`.trim() }
}

/** The same for a command that must succeed. @throws Error with what it printed. */
export function succeed(command: string, ...args: string[]): string {
  const { ok, output } = run(command, ...args)
  if (ok) return output
  throw new Error(`${command} ${args.join(' ')} failed:\n${output}`)
}
