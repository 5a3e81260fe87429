import { defineConfig } from 'vite'

/** The page as static files, which the emulator serves: nothing of this is needed at run time. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  build: {
    outDir: '../../dist/page',
    emptyOutDir: true,
    target: 'es2023',
    // A strict policy: nothing inline, neither a script nor a picture.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
  },
})
