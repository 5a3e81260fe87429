import type { TestProject } from 'vitest/node'
import { openBrowser } from '../pages/emulator/support/browser.ts'

/** Skips the part of the suite that needs a browser where none can start. */
export default async function setup(project: TestProject): Promise<void> {
  try {
    await (await openBrowser()).close()
  } catch {
    project.provide(
      'missing',
      'no Chromium can start here; on Debian: apt-get install chromium; elsewhere CHROMIUM names the program',
    )
  }
}
