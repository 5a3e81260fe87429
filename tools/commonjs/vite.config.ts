import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { isBuiltin } from 'node:module'
import { defineConfig } from 'vite'
import { entries } from './entries.ts'

const root = resolve(import.meta.dirname, '../..')
const { dependencies, peerDependencies } = JSON.parse(readFileSync(resolve(root, 'package.json'), 'utf8')) as Record<
  string,
  Record<string, string>
>
/** These are ES modules alone, which Jest cannot load: they are part of the bundle. */
const BUNDLED = ['p-queue', 'raw-body']
const external = Object.keys({ ...dependencies, ...peerDependencies }).filter((name) => !BUNDLED.includes(name))

/** The package as CommonJS, for runners that cannot load an ES module with `require`, such as Jest. */
export default defineConfig({
  root,
  logLevel: 'warn',
  build: {
    ssr: true,
    // As deep as the ES modules: they find the built pages from their own place.
    outDir: 'dist/commonjs',
    emptyOutDir: true,
    target: 'node22',
    rollupOptions: {
      input: Object.fromEntries(entries(root).map(({ name, source }) => [name, resolve(root, source)])),
      external: (id) => isBuiltin(id) || external.some((name) => id === name || id.startsWith(`${name}/`)),
      output: {
        format: 'cjs',
        exports: 'named',
        entryFileNames: '[name].bundle.cjs',
        chunkFileNames: '[name]-[hash].cjs',
        dynamicImportInCjs: false,
        comments: false,
        minify: { compress: false, mangle: false },
      },
    },
  },
  ssr: { noExternal: true },
})
