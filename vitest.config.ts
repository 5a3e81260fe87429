import { defineConfig } from 'vitest/config'

// Vitest hands these to Node as well: with `import` among them a package's require() would find modules.
const conditions = ['switchhook-source', 'node']

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/runtime.ts'],
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
})
