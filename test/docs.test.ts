import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { run } from './kit/cli/support.ts'
import { compile } from './support/compile.ts'
import { freePort } from './support/free-port.ts'

const root = resolve(import.meta.dirname, '..')
const DOCS = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'))
const PAGES = ['README.md', ...DOCS.map((name) => `docs/${name}`)]

/** A page's blocks of TypeScript, each named by its page and line. */
function blocksOf(page: string): { name: string; code: string }[] {
  const text = readFileSync(join(root, page), 'utf8')
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map((block) => {
    const line = text.slice(0, block.index).split('\n').length + 1
    return { name: `${page.replace('/', '-')}-${line}`, code: block[1] ?? '' }
  })
}

/** Makes a folder in which the package and its companions are installed. */
function appFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'switchhook-docs-'))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules/switchhook'))
  for (const name of ['express', 'zod'])
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  return folder
}

const blocks = PAGES.flatMap(blocksOf)
/** Blocks that are whole programs: each makes a bot and listens. */
const programs = blocks.filter(({ code }) => /createBot\(/.test(code) && /serve\(|\.listen\(/.test(code))

it('the docs’ code compiles unchanged, in an app that has the rest', () => {
  expect(blocks.length).toBeGreaterThan(25)
  const files = blocks.map(({ name, code }) => [`${name}.ts`, `${code}\nexport {}\n`])
  const prelude = readFileSync(join(import.meta.dirname, 'support/docs-prelude.ts'), 'utf8')
  expect(compile({ ...Object.fromEntries(files), 'prelude.ts': prelude })).toBe('')
})

it('the docs’ code runs unchanged against the emulator, and its whole programs answer their first customer', async () => {
  expect(programs.length).toBeGreaterThanOrEqual(3)
  const folder = appFolder()
  cpSync(join(import.meta.dirname, 'support/docs-run.ts'), join(folder, 'run.ts'))
  const args: string[] = []
  for (const block of blocks.filter(({ code }) => !/from '(node:test|vitest)'/.test(code))) {
    const file = join(folder, `${block.name}.ts`)
    const port = programs.includes(block) ? String(await freePort()) : undefined
    writeFileSync(file, port === undefined ? block.code : block.code.replaceAll('3000', port))
    args.push(port === undefined ? file : `${file}:${port}`)
  }
  const { stderr, code } = await run(
    process.execPath,
    ['--conditions=switchhook-source', 'run.ts', ...args],
    {},
    folder,
  ).ended
  rmSync(folder, { recursive: true, force: true })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
})

it('the docs’ tests pass unchanged', async () => {
  const tests = blocks.filter(({ code }) => /from 'vitest'/.test(code) && /createBot\(/.test(code))
  expect(tests.length).toBeGreaterThanOrEqual(1)
  const folder = appFolder()
  symlinkSync(join(root, 'node_modules/vitest'), join(folder, 'node_modules/vitest'))
  const config = { resolve: { preserveSymlinks: true } }
  writeFileSync(join(folder, 'vitest.config.ts'), `export default ${JSON.stringify(config)}\n`)
  for (const { name, code } of tests) writeFileSync(join(folder, `${name}.test.ts`), code)
  const runner = join(root, 'node_modules/vitest/vitest.mjs')
  const { stdout, stderr, code } = await run(process.execPath, [runner, 'run'], { NO_COLOR: '1' }, folder).ended
  rmSync(folder, { recursive: true, force: true })
  expect(code, stdout + stderr).toBe(0)
  expect(stdout).toMatch(new RegExp(`Test Files +${tests.length} passed`))
})
