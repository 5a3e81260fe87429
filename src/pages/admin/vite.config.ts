import { defineConfig } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  // The app may mount the page at any path, behind any proxy's prefix.
  base: './',
  build: {
    outDir: '../../../dist/pages/admin',
    emptyOutDir: true,
    target: 'es2023',
    // The page's content security policy allows nothing inline, neither scripts nor pictures.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    license: { fileName: 'third-party.md' },
  },
})
