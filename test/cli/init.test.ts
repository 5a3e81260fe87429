import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { switchhook } from './support.ts'

const root = resolve(import.meta.dirname, '../..')
const TEMPLATES = ['auto-reply', 'existing-app', 'support-desk']

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchhook-init-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** As a person without a terminal types it, in a folder of its own. */
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
  it('asks nothing without a terminal: takes the defaults, shows them, and says what comes next', async () => {
    mkdirSync(join(folder, 'Dukani Bot'))
    const { code, stdout, stderr } = await init([], {}, join(folder, 'Dukani Bot'))
    expect([code, stdout]).toEqual([0, ''])
    expect(stderr).toMatch(/template +auto-reply\n/)
    expect(stderr).toMatch(/name +dukani-bot\n/)
    expect(stderr).toMatch(/package manager +npm\n/)
    expect(stderr).toMatch(/Next:\n {2}npm install\n {2}npm test\n {2}npm run dev\n/)
    expect(JSON.parse(read('Dukani Bot/package.json')).name).toBe('dukani-bot')
  })

  it('shows the one command that makes the same choices again', async () => {
    const { stderr } = await init(['a', '--template', 'support-desk', '--name', 'desk', '--no-git'])
    const [, again = ''] = /again:\n {2}npx switchhook init (.*)\n/.exec(stderr) ?? []
    expect(again).toMatch(
      /^a --template support-desk --language en --name desk --pm npm --switchhook (?:'[^']+'|\S+) --no-git --yes$/,
    )
    const { code } = await init(
      [...again.replace(/^a/, 'b').matchAll(/'([^']+)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? ''),
    )
    expect(code).toBe(0)
    expect(filesIn(join(folder, 'b'))).toEqual(filesIn(join(folder, 'a')))
    expect(read('b/package.json')).toBe(read('a/package.json'))
  })

  it('quotes a scope with characters of the shell in that command', async () => {
    const { stderr } = await init(['bot', '--name', '@my*(shop)/bot', '--no-git'])
    expect(stderr).toContain(" --name '@my*(shop)/bot' --pm ")
  })

  it.for(TEMPLATES)('writes %s with a test, a recorded fixture and all that starts it', async (template) => {
    expect((await init(['.', '--template', template, '--name', 'my-bot'])).code).toBe(0)
    const files = filesIn(folder)
    const always = ['.dockerignore', '.env.example', '.gitignore', 'Dockerfile', 'README.md', 'package.json']
    expect(files).toEqual(expect.arrayContaining([...always, 'src/environment.ts', 'src/main.ts', 'tsconfig.json']))
    expect(files.filter((file) => /^src\/handlers\/.*\.ts$/.test(file)).length).toBeGreaterThan(0)
    expect(files.filter((file) => /^test\/.*\.test\.ts$/.test(file))).toHaveLength(2)
    expect(files.filter((file) => /^test\/fixtures\/.*\.json$/.test(file))).toHaveLength(1)
    expect(files.filter((file) => /(^|\/)_/.test(file))).toEqual([])
    expect(files.filter((file) => /\.\w\w\.ts$/.test(file))).toEqual([])
    expect(read('README.md')).toMatch(/^# my-bot\n/)
    expect(read('README.md').trimEnd().split('\n').length, 'lines of its README').toBeLessThanOrEqual(40)
    expect(read('README.md')).toContain('```sh\nnpm install\nnpm test\nnpm run dev\n```')
    expect(read('README.md')).not.toContain(template)
    expect(read('.gitignore')).toContain('.env\n')
  })

  it('writes its texts in English, or in the language that is asked for', async () => {
    await init(['one'])
    await init(['two', '--language', 'sw'])
    expect(read('one/src/words.ts')).toContain('Welcome! How can we help?')
    expect(read('two/src/words.ts')).toContain('Karibu! Tukusaidie nini?')
    const refused = await init(['three', '--language', 'xx'])
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('Allowed choices are en, sw')])
  })

  it.for(TEMPLATES)('pins what %s is made of to what it is tested with here', async (template) => {
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

  it('--json says it all in one line on stdout, and nothing to people', async () => {
    const { code, stdout, stderr } = await init(['bot', '--json', '--switchhook', '1.2.3'])
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout.split('\n')).toHaveLength(2)
    expect(JSON.parse(stdout)).toEqual({
      folder: join(folder, 'bot'),
      template: 'auto-reply',
      language: 'en',
      name: 'bot',
      manager: 'npm',
      switchhook: '1.2.3',
      git: 'initialised',
      files: filesIn(join(folder, 'bot')),
      next: ['cd bot', 'npm install', 'npm test', 'npm run dev'],
      again: 'npx switchhook init bot --template auto-reply --language en --name bot --pm npm --switchhook 1.2.3 --yes',
    })
  })

  it('says nothing in colour', async () => {
    const { stderr } = await init(['bot'], { FORCE_COLOR: '', NO_COLOR: '1' })
    expect(stderr).not.toContain('\u001B')
  })
})

it('switchhook init loads nothing that Node 20 cannot run, and no prompt before it asks', () => {
  const { files, packages } = loadedFrom('src/cli/main.ts', 'src/cli/program.ts', 'src/cli/init/init.ts')
  expect([...packages]).toEqual(['commander', 'validate-npm-package-name'])
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

describe('switchhook init in a folder that is there', () => {
  it.for(['#1', 'what?', '50%', 'a:b'])('refuses %s, in which neither vitest nor a script would run', async (name) => {
    const { code, stdout, stderr } = await init([name, '--force'])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/^switchhook: .*do not run in a folder with [#?%:] in its path; name another\n$/)
    expect(existsSync(join(folder, name))).toBe(false)
  })

  it('refuses one that is not empty, names what is there, and writes nothing', async () => {
    writeFileSync(join(folder, 'README.md'), 'mine')
    const { code, stdout, stderr } = await init(['--yes'])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/^switchhook: \S+ is not empty \(README\.md\): name a new folder, or --force .*\n$/)
    expect(filesIn(folder)).toEqual(['README.md'])
    expect(read('README.md')).toBe('mine')
  })

  it('writes over files of the same name with --force, and leaves all others', async () => {
    writeFileSync(join(folder, 'README.md'), 'mine')
    writeFileSync(join(folder, 'notes.txt'), 'mine too')
    expect((await init(['--force'])).code).toBe(0)
    expect(read('README.md')).not.toContain('mine')
    expect(read('notes.txt')).toBe('mine too')
  })

  it('says what it writes over', async () => {
    for (const name of ['README.md', 'notes.txt']) writeFileSync(join(folder, name), 'mine')
    expect((await init(['--force'])).stderr).toContain('\nWritten over: README.md.\n')
    const { stdout } = await init(['--force', '--json'])
    expect(JSON.parse(stdout).over).toEqual(filesIn(folder).filter((file) => file !== 'notes.txt'))
  })

  it.for([
    ['package.json', '{ "name": ', 'is no JSON'],
    ['package.json', '[]', 'is no JSON'],
    ['src', 'mine', 'is no folder'],
  ] as const)('writes nothing at all with --force if %s is in the way', async ([name, content, why]) => {
    for (const file of ['README.md', name]) writeFileSync(join(folder, file), content)
    const { code, stderr } = await init(['--force'])
    expect(code).toBe(2)
    expect(stderr).toMatch(new RegExp(`\\nswitchhook: ${join(folder, name)} ${why}.*: move it away\\n$`))
    expect(filesIn(folder)).toEqual(['README.md', name].sort())
    expect([read('README.md'), read(name)]).toEqual([content, content])
  })

  it('writes nothing at all with --force if a link leads nowhere', async () => {
    symlinkSync(join(folder, 'nowhere', 'README.md'), join(folder, 'README.md'))
    const { code, stderr } = await init(['--force'])
    expect([code, readdirSync(folder)]).toEqual([2, ['README.md']])
    expect(stderr).toContain('README.md cannot be written over: move it away')
  })

  it('writes nothing at all with --force if a folder stands in place of a file', async () => {
    mkdirSync(join(folder, 'Dockerfile'))
    const { code, stderr } = await init(['--force'])
    expect([code, filesIn(folder)]).toEqual([2, []])
    expect(stderr).toContain(`${join(folder, 'Dockerfile')} is a folder`)
  })

  it('takes a folder for empty in which only this package was installed, and keeps its author', async () => {
    const made = { name: 'asha', version: '2.0.0', author: 'Asha', description: '', main: 'index.js', type: 'commonjs' }
    const scripts = { test: 'echo "Error: no test specified" && exit 1' }
    const dependencies = { switchhook: 'file:switchhook-0.1.0.tgz' }
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...made, scripts, dependencies }))
    for (const name of ['package-lock.json', 'switchhook-0.1.0.tgz']) writeFileSync(join(folder, name), '{}')
    mkdirSync(join(folder, 'node_modules'))
    expect((await init(['--name', 'bot'])).code).toBe(0)
    const written = JSON.parse(read('package.json'))
    expect(written).toMatchObject({ name: 'bot', version: '2.0.0', author: 'Asha', type: 'module' })
    expect(written).not.toHaveProperty('main')
    expect(written.scripts.test).toBe('vitest run')
  })

  it.for([
    ['another dependency', { dependencies: { switchhook: '^0.1.0', express: '5.3.0' } }],
    ['a script', { scripts: { build: 'make' } }],
  ] as const)('does not take one for empty whose package.json has %s', async ([, made]) => {
    writeFileSync(join(folder, 'package.json'), JSON.stringify(made))
    expect((await init([])).code).toBe(2)
    expect(JSON.parse(read('package.json'))).toEqual(made)
  })

  it('says that a file stands in place of the folder', async () => {
    writeFileSync(join(folder, 'bot'), 'mine')
    const { code, stderr } = await init(['bot/below'])
    expect(code).toBe(2)
    expect(stderr).toBe(
      `switchhook: ${join(folder, 'bot/below')} cannot be a folder: ${join(folder, 'bot')} is a file\n`,
    )
  })
})

describe('switchhook init refuses', () => {
  it.for([
    ['My Bot', 'name can no longer contain capital letters'],
    ['my bot', 'name can only contain URL-friendly characters'],
    ['.bot', 'name cannot start with a period'],
    ['bot~', 'name can no longer contain special characters'],
    ['switchhook', 'it is the name of a package that the bot depends on'],
    ['http', 'http is a core module name'],
    ['a'.repeat(215), 'more than 214'],
  ])('the name %s', async ([name, why]) => {
    const { code, stderr } = await init(['bot', '--name', name ?? ''])
    expect(code).toBe(2)
    expect(stderr).toContain(`--name: "${name}" will not do: `)
    expect(stderr).toContain(why)
    expect(existsSync(join(folder, 'bot'))).toBe(false)
  })

  it.for([
    ['--template', 'hello', 'auto-reply, support-desk, existing-app'],
    ['--pm', 'cargo', 'npm, pnpm, yarn, bun'],
  ])('%s %s, and says what there is', async ([flag = '', value = '', known]) => {
    const { code, stdout, stderr } = await init(['bot', flag, value])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(`Allowed choices are ${known}.`)
    expect(existsSync(join(folder, 'bot'))).toBe(false)
  })
})

describe('switchhook init and git', () => {
  it('makes a repository, and commits nothing', async () => {
    expect((await init([])).stderr).toContain('The folder is a git repository; nothing is committed.')
    expect(git('rev-parse', '--show-toplevel')).not.toBe('')
    expect(git('log', '--oneline')).toBe('')
  })

  it('makes none inside another', async () => {
    git('init', '--quiet')
    expect((await init(['bots/one'])).stderr).toContain('inside a git repository already')
    expect(existsSync(join(folder, 'bots/one/.git'))).toBe(false)
  })

  it('makes none with --no-git', async () => {
    await init(['--no-git'])
    expect(existsSync(join(folder, '.git'))).toBe(false)
  })
})

describe("switchhook init speaks the package manager's words", () => {
  it.for([
    ['npm/11.19.1 node/v24.21.0 linux x64', 'npm', 'npm run dev', 'npm ci --omit=dev', 'package-lock.json'],
    ['pnpm/12.21.0 npm/? node/v24.21.0', 'pnpm', 'pnpm run dev', 'pnpm@12.21.0 install --prod', 'pnpm-lock.yaml'],
    ['yarn/4.18.1 npm/? node/v24.21.0', 'yarn', 'yarn run dev', 'workspaces focus --production', 'yarn.lock'],
    ['bun/1.4.5 npm/? node/v24.21.0', 'bun', 'bun run dev', 'bun@1.4.5 install --production', 'bun.lock'],
  ] as const)('%s', async ([agent, manager, dev, image, lock]) => {
    const { stderr } = await init([], { npm_config_user_agent: agent })
    expect(stderr).toContain(`--pm ${manager} `)
    expect(stderr).toContain(`Next:\n  ${manager} install\n`)
    expect(stderr).toContain(`  ${dev}\n`)
    expect(read('README.md')).toContain(`${dev}\n\`\`\``)
    expect(read('Dockerfile')).toContain(image)
    expect(read('Dockerfile')).toMatch(new RegExp(`COPY package.json .*\\b${lock}\\b.* \\./\n`))
    expect(read('.dockerignore')).toContain(`!${lock}\n`)
    if (manager !== 'npm') expect(read('README.md') + read('.env.example')).not.toMatch(/\bnpm |npx /)
  })

  it('leaves out for yarn the runtime that it cannot install, and says so', async () => {
    await init(['--pm', 'yarn'])
    const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const { devDependencies } = JSON.parse(read('package.json'))
    expect(devDependencies).toMatchObject({ vite: own.devDependencies.vite, vitest: own.devDependencies.vitest })
    expect(devDependencies).not.toHaveProperty('node')
    expect(read('README.md')).toContain('yours must be 22.18 or newer')
  })

  it('--pm names another than the one that runs', async () => {
    const { stdout } = await init(['--pm', 'pnpm', '--json'], { npm_config_user_agent: 'npm/11.19.1' })
    expect(JSON.parse(stdout)).toMatchObject({ manager: 'pnpm', next: ['pnpm install', 'pnpm test', 'pnpm run dev'] })
    expect(read('pnpm-workspace.yaml')).toContain('node: true')
    expect(JSON.parse(read('package.json'))).not.toHaveProperty('allowScripts')
  })
})
