import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')

/**
 * Runs a test unchanged, in a separate app folder, or several in one run, because starting vitest takes long.
 * `bot` is the text of the app's `src/bot.ts`; `said` is what vitest printed.
 */
export function runAsTest(test: string | readonly string[], bot: string): { status: number | null; said: string } {
  const folder = mkdtempSync(join(tmpdir(), 'switchhook-as-test-'))
  try {
    for (const name of ['src', 'test', 'node_modules']) mkdirSync(join(folder, name))
    symlinkSync(root, join(folder, 'node_modules/switchhook'))
    symlinkSync(join(root, 'node_modules/vitest'), join(folder, 'node_modules/vitest'))
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    writeFileSync(join(folder, 'src/bot.ts'), bot)
    for (const [index, text] of [test].flat().entries())
      writeFileSync(join(folder, `test/recorded-${index}.test.ts`), text)
    const conditions = ['switchhook-source', 'node']
    const config = { resolve: { conditions }, ssr: { resolve: { conditions } } }
    writeFileSync(join(folder, 'vitest.config.ts'), `export default ${JSON.stringify(config)}\n`)
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(root, 'node_modules/vitest/vitest.mjs'), 'run'],
      { cwd: folder, encoding: 'utf8', env: { ...process.env, NO_COLOR: '1' } },
    )
    return { status, said: stdout + stderr }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
