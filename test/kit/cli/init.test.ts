import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../support/folder.ts'
import { switchhook } from './support.ts'

const root = resolve(import.meta.dirname, '../../..')
const TEMPLATES = ['auto-reply', 'existing-app', 'support-desk']

let folder = ''
beforeEach(() => void (folder = temporaryFolder()))

/** As a script without a terminal runs it, in a separate folder. */
async function init(args: readonly string[], environment: Record<string, string> = {}, cwd = folder) {
  return await switchhook(['init', ...args], { npm_config_user_agent: '', ...environment }, cwd, { stdin: '' })
}

function read(file: string): string {
  return readFileSync(join(folder, file), 'utf8')
}

function filesIn(place: string): string[] {
  return readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(place, join(entry.parentPath, entry.name)))
    .filter((file) => !file.startsWith('.git/'))
    .sort()
}

function git(...args: string[]): string {
  return spawnSync('git', args, { cwd: folder, encoding: 'utf8' }).stdout.trim()
}

describe('switchhook init', () => {
  it('asks no questions without a terminal: uses the defaults, and prints the next steps', async () => {
    mkdirSync(join(folder, 'Dukani Bot'))
    const { code, stdout, stderr } = await init([], {}, join(folder, 'Dukani Bot'))
    expect([code, stdout]).toEqual([0, ''])
    expect(stderr).toMatch(/^\d+ files of auto-reply are in \S.*Dukani Bot/)
    expect(stderr).toMatch(/Next:\n {2}npm install\n {2}npm test\n {2}npm run dev\n/)
    expect(JSON.parse(read('Dukani Bot/package.json')).name).toBe('dukani-bot')
  })

  it('prints the way to a folder as one word of the shell', async () => {
    mkdirSync(join(folder, 'here'))
    for (const [dir, step] of [
      ['../my bot', "cd '../my bot'"],
      ["../asha's $bot", String.raw`cd '../asha'\''s $bot'`],
      ['../büro', 'cd ../büro'],
    ] as const)
      expect((await init([dir], {}, join(folder, 'here'))).stderr).toContain(`\n  ${step}\n`)
  })

  it.for(TEMPLATES)('writes %s with a test, a recorded fixture and everything to start it', async (template) => {
    expect((await init(['my-bot', '--template', template])).code).toBe(0)
    const files = filesIn(join(folder, 'my-bot'))
    const read = (file: string) => readFileSync(join(folder, 'my-bot', file), 'utf8')
    const always = [
      '.dockerignore',
      '.env.example',
      '.gitignore',
      '.npmrc',
      'AGENTS.md',
      'Dockerfile',
      'README.md',
      'package.json',
    ]
    expect(files).toEqual(expect.arrayContaining([...always, 'src/environment.ts', 'src/main.ts', 'tsconfig.json']))
    expect(files.filter((file) => /^src\/handlers\/.*\.ts$/.test(file)).length).toBeGreaterThan(0)
    expect(files).toEqual(expect.arrayContaining(['test/bot.test.ts', 'test/process.test.ts']))
    expect(files.filter((file) => /^test\/fixtures\/.*\.json$/.test(file))).toHaveLength(1)
    expect(files.filter((file) => /(^|\/)_/.test(file))).toEqual([])
    expect(read('README.md')).toMatch(/^# my-bot\n/)
    expect(read('README.md').trimEnd().split('\n').length, 'lines of its README').toBeLessThanOrEqual(40)
    expect(read('README.md')).toContain('```sh\nnpm install\nnpm test\nnpm run dev\n```')
    expect(read('README.md')).not.toContain(template)
  })

  it.for(TEMPLATES)('keeps secrets, databases, recordings and exports of %s out of git', async (template) => {
    await init(['.', '--template', template])
    git('init', '--quiet')
    const kept = ['.env', '.env.production', 'switchhook.db', 'switchhook.db-wal', 'switchhook.db.generation']
    kept.push('recordings/monday.json', 'exports/255712000101.json', 'test/yesterday.json', '.switchhook/dev.db')
    expect(git('check-ignore', ...kept).split('\n')).toEqual(kept)
    expect(git('check-ignore', '.env.example', 'src/main.ts', 'package.json')).toBe('')
  })

  it('makes the secret of its cookies for a desk, which git does not keep, and says what comes next', async () => {
    const secrets = await Promise.all(
      ['one', 'two'].map(async (name) => {
        const { stderr } = await init([name, '--template', 'support-desk'])
        expect(stderr).toContain(`Next:\n  cd ${name}\n  npm install\n  npm test\n  npm run dev\n`)
        expect(statSync(join(folder, name, '.env')).mode & 0o077).toBe(0)
        expect(read(`${name}/.env.example`)).toMatch(/^SESSION_SECRET=$/m)
        return /^SESSION_SECRET=(\S{44})$/m.exec(read(`${name}/.env`))?.[1]
      }),
    )
    expect(secrets).not.toContain(undefined)
    expect(secrets[0]).not.toBe(secrets[1])
    await init(['three'])
    expect(filesIn(join(folder, 'three'))).not.toContain('.env')
  })

  it.for(TEMPLATES)('pins the dependencies of %s to the versions that are tested here', async (template) => {
    await init(['.', '--template', template])
    const { dependencies, devDependencies } = JSON.parse(read('package.json'))
    const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const known = { ...own.dependencies, ...own.devDependencies }
    const { switchhook: itself, ...others } = { ...dependencies, ...devDependencies }
    for (const [name, version] of Object.entries(others)) expect([name, version]).toEqual([name, known[name]])
    expect(resolve(folder, itself.replace('file:', ''))).toBe(resolve(root))
    expect(read('Dockerfile')).toContain(`FROM node:${devDependencies.node}-slim\n`)
    const inTemplate = readFileSync(join(root, 'templates', template, '_package.json'), 'utf8')
    expect(JSON.parse(inTemplate).dependencies.switchhook).toBe(`^${own.version}`)
  })
})

it('switchhook init loads nothing that Node 20 cannot run, and no prompt before it asks', () => {
  const { files, packages } = loadedFrom('src/kit/cli/main.ts', 'src/kit/cli/program.ts', 'src/kit/cli/init.ts')
  expect([...packages]).toEqual(['commander'])
  for (const file of files)
    expect(readFileSync(file, 'utf8'), file).not.toMatch(/withResolvers|URL\.parse|\bawait using |\n\s*using /)
})

/**
 * What these files and all that they import load at once; what is imported later, when it is needed, is not among it.
 */
function loadedFrom(...entries: readonly string[]) {
  const files = new Set(entries.map((entry) => join(root, entry)))
  const packages = new Set<string>()
  for (const file of files)
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(
      /^(?:import|export)(?! type)[^'"]*?from '([^']+)'/gm,
    ))
      if (name.startsWith('.')) files.add(resolve(file, '..', name))
      else if (!name.startsWith('node:')) packages.add(name)
  return { files, packages }
}

it('switchhook init in an existing folder refuses one that is not empty, names its content, and writes nothing', async () => {
  writeFileSync(join(folder, 'README.md'), 'mine')
  const { code, stdout, stderr } = await init(['--yes'])
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(/^switchhook: \S+ is not empty \(README\.md\): name a new folder\n$/)
  expect(filesIn(folder)).toEqual(['README.md'])
  expect(read('README.md')).toBe('mine')
})
