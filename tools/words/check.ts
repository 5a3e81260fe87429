import { relative } from 'node:path'
import { createLinter, loadTextlintrc } from 'textlint'

/**
 * `npm run words`: how many words to avoid stand in docs, sources and their texts, and where most of them are; they are
 * warnings. `npm run words -- docs/start.md 'src/cli/**'`: each of them, with its line and the plain word.
 */
const ALL = ['*.md', 'docs/**/*.md', 'examples/**/*.md', 'templates/**/*.md', 'src/**/*.ts', 'src/**/*.tsx']

const asked = process.argv.slice(2)
const linter = createLinter({ descriptor: await loadTextlintrc() })
const files = (await linter.lintFiles(asked.length > 0 ? asked : ALL))
  .filter(({ messages }) => messages.length > 0)
  .map(({ filePath, messages }) => ({ name: relative(process.cwd(), filePath), messages }))
  .toSorted((a, b) => b.messages.length - a.messages.length)
const count = files.reduce((sum, { messages }) => sum + messages.length, 0)
if (asked.length > 0)
  for (const { name, messages } of files)
    for (const { line, message } of messages) console.log(`${name}:${line}: ${message.replace('\n', ' (')})`)
if (count > 0) {
  const most = files.slice(0, 3).map(({ name, messages }) => `${name} (${messages.length})`)
  console.log(`warning: ${count} words to avoid in ${files.length} files, most in ${most.join(', ')}`)
}
