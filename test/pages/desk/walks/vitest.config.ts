import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { part } from '../../../../vitest.config.ts'

const root = join(import.meta.dirname, '../../../..')
const at = (file: string) => join(root, file)

/** The walks at the desk as `npm run walks` makes them: each state at each width, in each theme and language. */
export default defineConfig({
  root,
  test: {
    reporters: ['default', at('test/summary.ts')],
    projects: [
      part('walks', ['test/pages/desk/walks/*.walk.ts'], {
        env: { SWITCHHOOK_VIEWS: 'all' },
        runner: at('test/support/skip-part.ts'),
        globalSetup: [at('test/runtime.ts'), at('test/support/chromium.ts')],
      }),
    ],
  },
})
