import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { run } from '../../kit/cli/support.ts'

it('a process that had its own server ends with its own exit code, as a run of tests must', async () => {
  const file = resolve(import.meta.dirname, '../../support/own-postgres.ts')
  const code = `
    import { startPostgres } from ${JSON.stringify(file)}
    await (await startPostgres())[Symbol.asyncDispose]()
    process.exitCode = 3`
  const ended = await run(process.execPath, ['--input-type=module', '-e', code], {}).ended
  expect(ended.code).toBe(3)
})
