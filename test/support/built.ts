import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The compiled program in a separate folder. `bin` starts it. */
export function built(): Disposable & { readonly bin: string } {
  const folder = mkdtempSync(join(tmpdir(), 'switchhook-built-'))
  const build = ['-p', join(root, 'tsconfig.build.json'), '--outDir', join(folder, 'dist')]
  const { status, stdout } = spawnSync(join(root, 'node_modules/.bin/tsc'), build, { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(`the sources do not compile: ${stdout}`)
  for (const name of ['bin', 'package.json']) cpSync(join(root, name), join(folder, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  return {
    bin: join(folder, 'bin/switchhook.js'),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  }
}
