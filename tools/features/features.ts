/**
 * npm run features [name…]: for each feature, a copy of the tree without its folder, its entry point and the tests that use it.
 * The copy compiles, and its unit tests pass. Takes about a minute for each.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'
import { root } from '../run.ts'

/** What a copy does not need, or links to. */
const LEFT_OUT = new Set(['.git', 'node_modules', 'dist'])

/** Tests of the tree as a whole: what they list names each feature. */
const REGISTERS = ['promises', 'rules', 'security', 'structure', 'mutants/driver/mutants']

const asked = process.argv.slice(2)
for (const feature of asked.length > 0 ? asked : readdirSync(join(root, 'src/features'))) tryWithout(feature)

function tryWithout(feature: string): void {
  const copy = mkdtempSync(join(tmpdir(), `switchhook-without-${feature}-`))
  try {
    cpSync(root, copy, { recursive: true, filter: (file) => !LEFT_OUT.has(relative(root, file).split(sep)[0] ?? '') })
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
    takeOut(feature, copy)
    const passed = run(copy, 'tsc', '--noEmit') && run(copy, 'vitest', 'run', '--project', 'units')
    console.log(`without ${feature}: ${passed ? 'compiles, and its unit tests pass' : 'FAILED'}`)
    if (!passed) process.exitCode = 1
  } finally {
    rmSync(copy, { recursive: true })
  }
}

/** Its folder, its lines in package.json, and what uses it: tests, tools, examples and templates. */
function takeOut(feature: string, copy: string): void {
  rmSync(join(copy, 'src/features', feature), { recursive: true })
  rmSync(join(copy, 'test/features', feature), { recursive: true, force: true })
  rmSync(join(copy, `test/api/${feature}.api.md`))
  for (const register of REGISTERS) rmSync(join(copy, `test/${register}.test.ts`))
  const manifest = JSON.parse(readFileSync(join(copy, 'package.json'), 'utf8')) as {
    exports: Record<string, unknown>
    typesVersions: Record<'*', Record<string, unknown>>
  }
  delete manifest.exports[`./${feature}`]
  delete manifest.typesVersions['*'][feature]
  writeFileSync(join(copy, 'package.json'), JSON.stringify(manifest, null, 2))
  const uses = new RegExp(String.raw`from '(?:switchhook/${feature}|[^']*/features/${feature}/.*)'`)
  let users = globSync('{test,tools,examples,templates}/**/*.ts', { cwd: copy }).filter((file) =>
    uses.test(readFileSync(join(copy, file), 'utf8')),
  )
  // Those that import a file that is gone are gone too.
  while (users.length > 0) {
    for (const file of users) rmSync(join(copy, file))
    const gone = new Set(users.map((file) => join(copy, file)))
    users = globSync('{test,tools,examples,templates}/**/*.ts', { cwd: copy }).filter((file) => {
      const imported = readFileSync(join(copy, file), 'utf8').matchAll(/(?:from|import\() ?'(\.[^']+)'/g)
      return [...imported].some(([, to = '']) => gone.has(join(copy, file, '..', to)))
    })
  }
}

function run(copy: string, command: string, ...args: string[]): boolean {
  const { status } = spawnSync(join(root, 'node_modules/.bin', command), args, { cwd: copy, stdio: 'inherit' })
  return status === 0
}
