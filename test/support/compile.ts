import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Compiles files in the folder of an app that has the built package, as strictly as possible, and returns the compiler's output. */
export function compile(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'switchhook-types-'))
  try {
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(root, join(folder, 'node_modules/switchhook'))
    for (const name of ['zod', 'express', 'vitest', '@types'])
      symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
    const compilerOptions = {
      target: 'es2023',
      lib: ['es2024', 'esnext.disposable'],
      module: 'nodenext',
      allowImportingTsExtensions: true,
      typeRoots: [join(root, 'node_modules/@types')],
      types: ['node'],
      noEmit: true,
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: true,
    }
    const all = { ...files, 'package.json': '{"type":"module"}', 'tsconfig.json': JSON.stringify({ compilerOptions }) }
    for (const [name, content] of Object.entries(all)) writeFileSync(join(folder, name), content)
    const { stdout, stderr } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', folder], { encoding: 'utf8' })
    return stdout + stderr
  } finally {
    rmSync(folder, { recursive: true })
  }
}
