import { chromium } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { LAUNCH } from '../pages/emulator/support/browser.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of the browser that the files share. */
    browser: string
  }
}

/** Starts the browser, or skips the part of the suite that needs one where none can start. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  try {
    const server = await chromium.launchServer(LAUNCH)
    project.provide('browser', server.wsEndpoint())
    return () => server.close()
  } catch {
    project.provide(
      'missing',
      'no Chromium can start here; on Debian: apt-get install chromium; elsewhere CHROMIUM names the program',
    )
    return undefined
  }
}
