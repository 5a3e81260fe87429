import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { part } from '../../../../vitest.config.ts'

const root = join(import.meta.dirname, '../../../..')
const at = (file: string) => join(root, file)

/** The long walks at the desk, which `npm run walks` runs: each state at each width, in each theme and language. */
export default defineConfig({
  root,
  test: {
    reporters: ['default', at('test/summary.ts')],
    projects: [
      part('walks', ['test/pages/desk/walks/*.walk.ts'], {
        runner: at('test/support/skip-part.ts'),
        globalSetup: [at('test/runtime.ts'), at('test/support/chromium.ts')],
      }),
    ],
  },
})
