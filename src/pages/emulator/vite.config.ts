import { defineConfig } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  build: {
    outDir: '../../../dist/pages/emulator',
    emptyOutDir: true,
    target: 'es2023',
    // The page's content security policy allows nothing inline, neither scripts nor pictures.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    license: { fileName: 'third-party.md' },
    reportCompressedSize: true,
  },
})
