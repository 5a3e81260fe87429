import { join } from 'node:path'

/**
 * Checks that the tests run on the pinned runtime: on an older Node the database driver crashes without a word. And
 * lets the processes that tests start share their compiled sources, which halves the CPU of each start.
 */
export default function setup(): void {
  process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '../node_modules/.cache/node-compile')
  if (Number(process.versions['napi']) >= 10) return
  throw new Error(
    `the tests run on the repository's own Node, this is ${process.version}: use \`npm test\` after \`npm ci\` (with its install scripts on, they bring the pinned runtime)`,
  )
}
