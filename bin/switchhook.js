#!/usr/bin/env node
// Plain enough for every Node that knows modules: an old one must be told, not crash further in.
if (Number(process.versions.napi) >= 10) {
  void import('../dist/cli/main.js')
} else {
  process.stderr.write('switchhook: this is Node ' + process.versions.node + '; it needs Node >= 22.14\n')
  process.exitCode = 1
}
