import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')

/** A copy of `src` that a test changes and compiles. `compile` returns what the compiler prints; each page is another project. */
export interface SourceCopy extends Disposable {
  readonly folder: string
  compile(project?: string): string
}

export function copySource(): SourceCopy {
  const folder = mkdtempSync(join(tmpdir(), 'switchhook-source-'))
  cpSync(join(root, 'src'), join(folder, 'src'), { recursive: true })
  cpSync(join(root, 'package.json'), join(folder, 'package.json'))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const { compilerOptions, ...config } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')) as {
    compilerOptions: object
  }
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      ...config,
      // A second compilation checks only what a change concerns.
      compilerOptions: { ...compilerOptions, incremental: true, tsBuildInfoFile: 'built.tsbuildinfo' },
      include: ['src'],
      exclude: ['src/pages'],
    }),
  )
  return {
    folder,
    compile(project = '.') {
      const { stdout, stderr, error } = spawnSync(
        join(root, 'node_modules/.bin/tsc'),
        ['--noEmit', '-p', join(folder, project)],
        { cwd: folder, encoding: 'utf8' },
      )
      if (error) throw error
      return stdout + stderr
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  }
}
