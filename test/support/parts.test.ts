import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')

it('a browser that does not exist skips its part, and the last line says so', () => {
  const { status, last } = runPart('browser', 'test/pages/emulator/size.test.ts', { CHROMIUM: '/nowhere' })
  expect(last).toMatch(
    /^tests: 0 passed, 0 failed, \d+ skipped; did not run: browser \(no Chromium can start here; on /,
  )
  expect(status).toBe(0)
})

it('a PostgreSQL that cannot start skips its part, and the last line says so with the reason', () => {
  const { status, last } = runPart('postgres', 'test/bot/postgres.test.ts', { TMPDIR: '/nowhere' })
  expect(last).toMatch(/^tests: 0 passed, 0 failed, \d+ skipped; did not run: postgres \(.*ENOENT.*TEST_POSTGRES=/)
  expect(status).toBe(0)
})

it('a PostgreSQL that cannot start is an error where it is required', () => {
  const required = { TMPDIR: '/nowhere', SWITCHHOOK_TEST_REQUIRES: 'postgres' }
  expect(runPart('postgres', 'test/bot/postgres.test.ts', required).status).toBe(1)
})

/** Runs one file of a part of the suite as a user does; `last` is the line that ends it. */
function runPart(project: string, file: string, tools: Record<string, string>) {
  const { SWITCHHOOK_TEST_POSTGRES: _, SWITCHHOOK_TEST_REQUIRES: __, ...environment } = process.env
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--project', project, file],
    { cwd: root, encoding: 'utf8', env: { ...environment, NO_COLOR: '1', ...tools } },
  )
  return { status, last: stderr.trim().split('\n').at(-1) }
}
