#!/usr/bin/env node
// Plain enough for every Node that knows modules: an old one must be told, not crash further in.
// What `init` writes brings its own runtime, so that command runs on Node 20 too.
import { existsSync } from 'node:fs'

var old = Number(process.versions.napi) < 10
if (old && (process.argv[2] !== 'init' || parseInt(process.versions.node) < 20)) {
  process.stderr.write(
    'switchhook: this is Node ' +
      process.versions.node +
      "; it needs Node >= 22.14. Run it as `npm run switchhook -- …` in the bot's folder: the bot brings its own Node\n",
  )
  process.exitCode = 1
} else if (!existsSync(new URL('../dist/kit/cli/main.js', import.meta.url))) {
  process.stderr.write('switchhook: this checkout is not built: run `npm run build` in it first\n')
  process.exitCode = 1
} else {
  void import('../dist/kit/cli/main.js')
}
