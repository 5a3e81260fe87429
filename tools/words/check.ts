import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { createLinter, loadTextlintrc } from 'textlint'

/**
 * `npm run words`, a part of `npm run lint`: fails if a word to avoid (`words.yml`) is in docs, texts, names or comments.
 * `npm run words -- docs/start.md 'src/kit/cli/**'` checks only these files.
 *
 * A line that contains `words-ok` is not checked: write the reason after it, in a comment on that line.
 */
const CHECKED = [
  '*.md',
  '{docs,ops}/*.md',
  'ops/**/*.md',
  'ops/**/*.{yml,yaml,service}',
  '{examples,templates}/**/*.{md,ts,js,yml,yaml}',
  'tools/create/*.{md,js}',
  '{src,test,tools}/**/*.{ts,tsx,css,html,yml}',
  'docs/.vitepress/*.ts',
]

const asked = process.argv.slice(2)
const linter = createLinter({ descriptor: await loadTextlintrc(), ignoreFilePath: '.textlintignore' })
const wrong = (await linter.lintFiles(asked.length > 0 ? asked : CHECKED)).flatMap(({ filePath, messages }) => {
  const name = relative(process.cwd(), filePath).replaceAll('\\', '/')
  const lines = readFileSync(filePath, 'utf8').split('\n')
  return messages
    .filter(({ line }) => !lines[line - 1]?.includes('words-ok'))
    .filter(({ message }) => name.endsWith('.md') || !message.includes('\nIn docs: '))
    .map(({ line, message }) => ({ name, text: `${name}:${line}: ${message.replace('\n', ' (')})` }))
})
for (const { text } of wrong) console.log(text)
if (wrong.length > 0) {
  console.error(`${wrong.length} words to avoid: use the plain words, or write words-ok and the reason on the line`)
  process.exitCode = 1
}
