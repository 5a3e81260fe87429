import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { run } from '../kit/cli/support.ts'

export const root = resolve(import.meta.dirname, '../..')

/** Packs what `npm run build` has made. Returns the file. */
export async function pack(folder: string): Promise<string> {
  const packed = join(folder, 'packed')
  mkdirSync(packed)
  await succeeds('npm', ['pack', '--ignore-scripts', '--pack-destination', packed], root)
  return join(packed, readdirSync(packed)[0] ?? '')
}

/**
 * Runs a script of a project as npm does, without npm's own start. The packages that it uses lie in the folder above,
 * and the programs of those in `.bin`.
 */
export function runScript(project: string, name: string, environment: Record<string, string>): Promise<string> {
  const { scripts } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))
  const programs = resolve(project, '../node_modules/.bin')
  const path = [programs, process.env['PATH']].join(delimiter)
  return succeeds('sh', ['-c', scripts[name]], project, { ...environment, PATH: path })
}

/** Runs a command to its end. @throws Error with all that it printed if it does not end with 0. */
export async function succeeds(
  command: string,
  args: readonly string[],
  cwd: string,
  environment: Record<string, string> = {},
): Promise<string> {
  const running = run(command, args, { CI: '1', NO_COLOR: '1', FORCE_COLOR: '0', ...environment }, cwd)
  running.child.stdin?.end()
  const { code, stdout, stderr } = await running.ended
  if (code === 0) return stdout
  throw new Error(`${command} ${args.join(' ')} in ${cwd} ended with ${code}:\n${stdout}\n${stderr}`)
}
