import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { run } from '../cli/support.ts'

const PLAY = resolve(import.meta.dirname, '../../examples/demo/play.ts')

it('the demo plays every promise, with real processes and a real kill, and each holds [R DEL-01 DEL-02 SIG-07, F-46, F-47, F-65]', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=switchhook-source', PLAY], {
    env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' },
  })
  expect(stdout).not.toContain('  NOT ')
  expect(stdout).toContain('Every promise held.')
  expect(stdout.match(/^ {2}ok /gm)?.length).toBeGreaterThanOrEqual(25)
})

describe('a demo that does not come to its end leaves no process and no file', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'switchhook-demo-test-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  // Its processes write to the same stderr, so that "ended" means that all have.
  const play = (environment: Record<string, string> = {}) =>
    run(process.execPath, ['--conditions=switchhook-source', PLAY], { TMPDIR: folder, ...environment })

  it.for([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('on %s', async ([signal, expected]) => {
    await using running = play()
    await running.heard('stdout', /A customer writes/)
    expect(readdirSync(folder)).toHaveLength(1)
    running.child.kill(signal)
    expect((await running.ended).code).toBe(expected)
    expect(readdirSync(folder)).toEqual([])
  })

  it('where nobody reads it any more', async () => {
    await using running = play()
    await running.heard('stdout', /A customer writes/)
    running.child.stdout?.destroy()
    expect((await running.ended).code).toBe(141)
    expect(readdirSync(folder)).toEqual([])
  })

  it('where its app does not start', async () => {
    const { code, stderr } = await play({ SWITCHHOOK_HEADER_PREFIX: 'not a header' }).ended
    expect(code).toBe(1)
    expect(stderr).toContain('ended with 1 before it was ready')
    expect(readdirSync(folder)).toEqual([])
  })
})
