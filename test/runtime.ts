/** The tests need the pinned runtime: on an older Node the database driver crashes without a word. */
export default function setup(): void {
  if (Number(process.versions['napi']) >= 10) return
  throw new Error(
    `the tests run on the repository's own Node, this is ${process.version}: use \`npm test\` after \`npm ci\` (with its install scripts on, they bring the pinned runtime)`,
  )
}
