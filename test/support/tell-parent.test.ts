import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'

const HOLD_LOCK = resolve(import.meta.dirname, './hold-lock.ts')

it('a process beside a test ends without an error if the test has ended before it could report', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tell-parent-'))
  try {
    const child = fork(HOLD_LOCK, [join(folder, 'held.db'), '100'], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
    const complaints = text(child.stderr as NonNullable<typeof child.stderr>)
    const ended = once(child, 'exit')
    await once(child, 'message')
    child.disconnect()
    expect([...(await ended), await complaints]).toEqual([0, null, ''])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
