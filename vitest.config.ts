import { defineConfig } from 'vitest/config'

const conditions = ['switchhook-source', 'node', 'import', 'module', 'default']

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
