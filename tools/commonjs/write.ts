/** Writes what `require` gets: the one ES module where that can be loaded, and else the bundle. */
import { writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { entries } from './entries.ts'

const root = resolve(import.meta.dirname, '../..')
const folder = join(root, 'dist/commonjs')

for (const { name, built } of entries(root)) {
  const module = relative(folder, join(root, built))
  writeFileSync(
    join(folder, `${name}.cjs`),
    `'use strict'
// Node loads the same module for import and require. Jest cannot require an ES module: it gets the bundle.
try {
  module.exports = require('${module}')
} catch (error) {
  if (error.code !== 'ERR_REQUIRE_ESM' && error.name !== 'SyntaxError') throw error
  module.exports = require('./${name}.bundle.cjs')
}
`,
  )
  writeFileSync(
    join(folder, `${name}.d.cts`),
    `// @ts-ignore -- TypeScript takes this for a require() of an ES module, which Node and the file beside it can do
export * from '${module}'
`,
  )
}
