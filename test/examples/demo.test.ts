import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { run } from '../kit/cli/support.ts'

const PLAY = resolve(import.meta.dirname, '../../examples/demo/play.ts')

it('the demo plays every promise, with real processes and a real kill, and each holds [R DEL-01 DEL-02 SIG-07, F-46, F-47, F-65]', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=switchhook-source', PLAY], {
    env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' },
  })
  expect(stdout).not.toContain('  NOT ')
  expect(stdout).toContain('Every promise held.')
  expect(stdout.match(/^ {2}ok /gm)?.length).toBeGreaterThanOrEqual(25)
})

it('a demo that is interrupted leaves no process and no file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchhook-demo-test-'))
  try {
    await using running = run(process.execPath, ['--conditions=switchhook-source', PLAY], { TMPDIR: folder })
    await running.heard('stdout', /A customer writes/)
    expect(readdirSync(folder)).toHaveLength(1)
    running.child.kill('SIGTERM')
    // Its processes write to the same stderr, so that "ended" means that all have.
    expect((await running.ended).code).toBe(143)
    expect(readdirSync(folder)).toEqual([])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
