import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A folder until the running test ends; `beforeEach` may make it. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'switchhook-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
