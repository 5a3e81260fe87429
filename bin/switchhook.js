#!/usr/bin/env node
// Plain enough for every Node that knows modules: an old one must be told, not crash further in.
// What `init` writes brings its own runtime, so that command runs on Node 20 too.
var old = Number(process.versions.napi) < 10
if (!old || (process.argv[2] === 'init' && parseInt(process.versions.node) >= 20)) {
  void import('../dist/cli/main.js')
} else {
  process.stderr.write('switchhook: this is Node ' + process.versions.node + '; it needs Node >= 22.14\n')
  process.exitCode = 1
}
