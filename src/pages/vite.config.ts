import { defineConfig } from 'vite'

/** The mode is the page: `emulator`, `admin` or `desk`. */
export default defineConfig(({ mode }) => ({
  root: `${import.meta.dirname}/${mode}`,
  // Relative addresses, because the app may mount a page at any path, behind any proxy's prefix.
  base: './',
  build: {
    outDir: `../../../dist/pages/${mode}`,
    emptyOutDir: true,
    target: 'es2023',
    // The content security policy of the pages allows nothing inline.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    license: { fileName: 'third-party.md' },
  },
}))
