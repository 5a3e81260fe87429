import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { run } from './support.ts'

const main = fileURLToPath(new URL('../../../src/kit/cli/main.ts', import.meta.url))
const TELLS_IMPORTS = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  registerHooks({ resolve(name, context, next) { process.stderr.write(name + '\\n'); return next(name, context) } })
`)}`

/** What a command imports, file by file. */
async function importsOf(...args: string[]): Promise<string[]> {
  const node = ['--conditions=switchhook-source', '--import', TELLS_IMPORTS, main, ...args]
  const { code, stderr } = await run(process.execPath, node).ended
  expect(code).toBe(0)
  return stderr.split('\n')
}

describe('what a command loads', () => {
  it('is next to nothing for --version', async () => {
    const imports = await importsOf('--version')
    expect(imports.filter((name) => !name.startsWith('node:') && !name.startsWith('file:'))).toEqual([
      './support/io.ts',
      '',
    ])
  })

  it.for([['--help'], ['clock', '--help']])('is neither a database nor a schema for %j', async (args) => {
    const imports = await importsOf(...args)
    expect(imports).toContain('commander')
    for (const heavy of ['zod', 'better-sqlite3', 'pino']) expect(imports).not.toContain(heavy)
  })

  it('is a database for commands that read one', async () => {
    expect(await importsOf('inbox', '--help')).toContain('better-sqlite3')
  })
})
