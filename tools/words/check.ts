import { readFileSync } from 'node:fs'
import { matchesGlob, relative } from 'node:path'
import { createLinter, loadTextlintrc } from 'textlint'

/**
 * `npm run words`, a part of `npm run lint`: fails if a word to avoid (`words.yml`) stands in docs, sources or their texts.
 * `npm run words -- docs/start.md 'src/cli/**'` checks these files alone.
 *
 * A line that contains `words-ok` is not checked: write the reason after it, in a comment on that line.
 */
const CHECKED = ['*.md', 'docs/**/*.md', 'examples/**/*.md', 'templates/**/*.md', '{src,test}/**/*.{ts,tsx}']

/** Not rewritten yet: their hits are counted in a warning. Take a path out when its page or folder has none. */
const LATER = ['src/{stores,lanes,dispatch}/**', 'test/{stores,lanes,dispatch,torture}/**', 'docs/architecture.md']

const asked = process.argv.slice(2)
const linter = createLinter({ descriptor: await loadTextlintrc() })
const hits = (await linter.lintFiles(asked.length > 0 ? asked : CHECKED)).flatMap(({ filePath, messages }) => {
  const name = relative(process.cwd(), filePath).replaceAll('\\', '/')
  const lines = readFileSync(filePath, 'utf8').split('\n')
  return messages
    .filter(({ line }) => !lines[line - 1]?.includes('words-ok'))
    .map(({ line, message }) => ({ name, text: `${name}:${line}: ${message.replace('\n', ' (')})` }))
})
const later = (name: string) => asked.length === 0 && LATER.some((pattern) => matchesGlob(name, pattern))
const wrong = hits.filter(({ name }) => !later(name))
for (const { text } of wrong) console.log(text)
if (hits.length > wrong.length)
  console.log(`warning: ${hits.length - wrong.length} words to avoid in files that are not rewritten yet`)
if (wrong.length > 0) {
  console.error(`${wrong.length} words to avoid: use the plain words, or write words-ok and the reason on the line`)
  process.exitCode = 1
}
