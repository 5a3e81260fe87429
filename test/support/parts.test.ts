import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import type { TestProject } from 'vitest/node'
import startServer from './postgres-server.ts'

const root = join(import.meta.dirname, '../..')

it('a browser that does not exist and a PostgreSQL that cannot start skip their parts, and the last line names them with the reasons', () => {
  const { SWITCHHOOK_TEST_POSTGRES: _, SWITCHHOOK_TEST_REQUIRES: __, ...environment } = process.env
  const files = ['test/pages/emulator/size.test.ts', 'test/bot/postgres.test.ts']
  const run = ['run', '--project', 'browser', '--project', 'postgres', ...files]
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), ...run], {
    cwd: root,
    encoding: 'utf8',
    env: { ...environment, NO_COLOR: '1', CHROMIUM: '/nowhere', TMPDIR: '/nowhere' },
  })
  const last = stderr.trim().split('\n').at(-1)
  expect(last).toMatch(/^tests: 0 passed, 0 failed, \d+ skipped; did not run: /)
  expect(last).toMatch(/browser \(no Chromium can start here; on /)
  expect(last).toMatch(/postgres \(.*ENOENT.*TEST_POSTGRES=/)
  expect(status).toBe(0)
})

it('a PostgreSQL that cannot start is an error where it is required', async () => {
  vi.stubEnv('SWITCHHOOK_TEST_POSTGRES', undefined)
  vi.stubEnv('SWITCHHOOK_TEST_REQUIRES', 'postgres')
  vi.stubEnv('TMPDIR', '/nowhere')
  await expect(startServer({ provide() {} } as unknown as TestProject)).rejects.toThrow('ENOENT')
  vi.unstubAllEnvs()
})
