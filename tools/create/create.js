#!/usr/bin/env node
// `npm create switchhook my-bot` is `switchhook init my-bot`.
process.argv.splice(2, 0, 'init')
await import(new URL('bin/switchhook.js', import.meta.resolve('switchhook/package.json')).href)
