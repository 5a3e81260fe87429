import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const PLAY = resolve(import.meta.dirname, '../../examples/demo/play.ts')

it('the demo plays every promise, with real processes and a real kill, and each holds [R DEL-01 DEL-02 SIG-07, F-46, F-47, F-65]', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=switchhook-source', PLAY], {
    env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' },
  })
  expect(stdout).not.toContain('  NOT ')
  expect(stdout).toContain('Every promise held.')
  expect(stdout.match(/^ {2}ok /gm)?.length).toBeGreaterThanOrEqual(25)
})
