import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { run } from '../cli/support.ts'

export const root = resolve(import.meta.dirname, '../..')
const NOT_NEEDED = ['node_modules', '.git', 'dist', 'test'].map((name) => join(root, name))

/** The package as it is published: built and packed in a copy, so that nothing changes in the checkout. Answers its file. */
export async function pack(folder: string): Promise<string> {
  const copy = join(folder, 'checkout')
  cpSync(root, copy, { recursive: true, filter: (path) => !NOT_NEEDED.includes(path) })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  const packed = join(folder, 'packed')
  mkdirSync(packed)
  await succeeds('npm', ['pack', '--pack-destination', packed], copy)
  return join(packed, readdirSync(packed)[0] ?? '')
}

/** Runs a command to its end. @throws Error with all that it said, where that is not 0. */
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
