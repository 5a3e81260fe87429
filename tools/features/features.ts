/**
 * npm run features [name…]: for each feature, a copy of the tree without its folder, its lines in the lists, its entry
 * point and the tests that use it.
 * The copy compiles, and its unit tests pass. Takes about a minute for each.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'
import { root } from '../run.ts'
import { takeOut } from './take-out.ts'

/** What a copy does not need, or links to. */
const LEFT_OUT = new Set(['.git', 'node_modules', 'dist'])

/** Tests of the tree as a whole: what they list, or a page of the docs, names each feature. */
const REGISTERS = ['promises', 'rules', 'security', 'structure', 'mutants/driver/mutants', 'features/metrics/names']

/** What names a built-in feature uses it: apps import no entry point of it. */
const NAMED: Readonly<Record<string, RegExp>> = {
  announcements: /announc|claimRecipients/i,
  bursts: /\bburst(?::| \}|-)|\bgathers\b|features\/bursts/,
  codes: /openCode|features\/codes|\bbot\b[^]*\boneTimeCode\(/,
  people:
    /switchhook\/desk|features\/people|askForPerson|addNote|(?:list|count)People|peopleRows|chatOf|deskChanges|giveBack|dismissWait|snoozeWait|store\.assign\(|takeOver|[tT]akenOver|taken_|handOver|quietWhile|\.resume\((?!\w)|\.agent\b/,
  conversations: /\.conversation\(|\.enter\(|\bconversations\b|listConversations|journalOf|conversation_|keepStep/,
}

const asked = process.argv.slice(2)
for (const feature of asked.length > 0 ? asked : readdirSync(join(root, 'src/features'))) tryWithout(feature)

function tryWithout(feature: string): void {
  const copy = mkdtempSync(join(tmpdir(), `switchhook-without-${feature}-`))
  try {
    cpSync(root, copy, { recursive: true, filter: (file) => !LEFT_OUT.has(relative(root, file).split(sep)[0] ?? '') })
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
    takeAllOut(feature, copy)
    const passed = run(copy, 'tsc', '--noEmit') && run(copy, 'vitest', 'run', '--project', 'units')
    console.log(`without ${feature}: ${passed ? 'compiles, and its unit tests pass' : 'FAILED'}`)
    if (!passed) process.exitCode = 1
  } finally {
    rmSync(copy, { recursive: true })
  }
}

/** Also takes out its entry point in package.json, and what uses it: tests, tools, examples and templates. */
function takeAllOut(feature: string, copy: string): void {
  takeOut(feature, copy)
  rmSync(join(copy, 'test/features', feature), { recursive: true, force: true })
  for (const register of REGISTERS) rmSync(join(copy, `test/${register}.test.ts`), { force: true })
  const manifest = JSON.parse(readFileSync(join(copy, 'package.json'), 'utf8')) as {
    exports: Record<string, unknown>
    typesVersions: Record<'*', Record<string, unknown>>
  }
  for (const entry of Object.keys(manifest.exports)) {
    if (!JSON.stringify(manifest.exports[entry]).includes(`/src/features/${feature}/`)) continue
    const name = entry.slice('./'.length)
    delete manifest.exports[entry]
    delete manifest.typesVersions['*'][name]
    rmSync(join(copy, `test/api/${name}.api.md`), { force: true })
  }
  writeFileSync(join(copy, 'package.json'), JSON.stringify(manifest, null, 2))
  const imports = new RegExp(String.raw`from '(?:switchhook/${feature}|[^']*/features/${feature}/.*)'`)
  const uses = NAMED[feature] ?? imports
  const textOf = (file: string) => readFileSync(join(copy, file), 'utf8')
  // A page is another project, which the copy does not compile: only what imports the feature is gone.
  let users = filesOf(copy).filter((file) => (file.startsWith('src') ? imports : uses).test(textOf(file)))
  // Those that import a file that is gone are gone too.
  while (users.length > 0) {
    for (const file of users) rmSync(join(copy, file))
    const gone = new Set(users.map((file) => join(copy, file)))
    users = filesOf(copy).filter((file) => {
      const imported = textOf(file).matchAll(/(?:from|import\() ?'(\.[^']+)'/g)
      return [...imported].some(([, to = '']) => gone.has(join(copy, file, '..', to)))
    })
  }
}

function filesOf(copy: string): readonly string[] {
  return globSync('{test,tools,examples,templates,src/pages}/**/*.{ts,tsx}', { cwd: copy })
}

function run(copy: string, command: string, ...args: string[]): boolean {
  const { status } = spawnSync(join(root, 'node_modules/.bin', command), args, { cwd: copy, stdio: 'inherit' })
  return status === 0
}
