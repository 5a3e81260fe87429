import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { fileURLToPath } from 'node:url'
import { type Command, Option } from 'commander'
import { optionsInvalid } from '../../base/errors.ts'
import { VERSION } from '../../base/version.ts'
import { EXIT } from './support/exit.ts'
import { type Io, isInteractive, pathOf, shellWord } from './support/io.ts'

const TEMPLATES = {
  'auto-reply': 'answers automatically: words, buttons, the state of an order',
  'support-desk': 'a menu, opening hours, and a desk at which people sign in and take over',
  'existing-app': 'inside an Express app that has its own parser and routes',
} as const

type TemplateName = keyof typeof TEMPLATES

const TEMPLATE_NAMES = Object.keys(TEMPLATES) as TemplateName[]

const DEFAULT_TEMPLATE = 'auto-reply'

/** This file must also run on Node 20: the user may have no newer Node until the new project installs one. */
export function addCommand(command: Command, io: Io): void {
  command
    .description('write a new bot, ready to be installed, tested and run')
    .argument('[dir]', 'its folder (default: this one, if it is empty); its package is named after it')
    .addOption(new Option('--template <template>', 'the template (default: auto-reply)').choices(TEMPLATE_NAMES))
    .option('--yes', 'do not ask for the template')
    .addHelpText(
      'after',
      `\nTemplates:\n${templates()}\n\nExample:\n  $ switchhook init my-bot --template support-desk\n`,
    )
    .action((dir, flags) => init(io, dir, flags))
}

function templates(): string {
  return TEMPLATE_NAMES.map((name) => `  ${name.padEnd(14)}${TEMPLATES[name]}`).join('\n')
}

interface Flags {
  readonly template?: TemplateName
  readonly yes?: boolean
}

async function init(io: Io, dir = '.', flags: Flags): Promise<void> {
  const folder = pathOf(io, dir)
  const found = existsSync(folder) ? readdirSync(folder).filter((name) => name !== '.git') : []
  if (found.length > 0)
    throw optionsInvalid(`${folder} is not empty (${found.sort().slice(0, 5).join(', ')}): name a new folder`)
  const template = flags.template ?? (canAsk(io, flags) ? await ask(io) : DEFAULT_TEMPLATE)
  if (template === undefined) {
    io.err('\nNothing was written.')
    io.exitCode = EXIT.interrupted
    return
  }
  mkdirSync(folder, { recursive: true })
  const files = writeProject(folder, template)
  const path = relative(io.process.cwd(), folder)
  const next = [...(path === '' ? [] : [`cd ${shellWord(path)}`]), 'npm install', 'npm test', 'npm run dev']
  io.err(
    [
      `${files} files of ${template} are in ${folder}; README.md there explains how to use the real service.`,
      'Next:',
      ...next.map((step) => `  ${step}`),
    ].join('\n'),
  )
}

function canAsk(io: Io, { yes = false }: Flags): boolean {
  const ci = io.env['CI'] ?? ''
  return !yes && (ci === '' || ci === 'false') && isInteractive(io)
}

/** Returns undefined on Ctrl-C and at the end of the input. */
async function ask(io: Io): Promise<TemplateName | undefined> {
  const terminal = createInterface({ input: io.stdin, output: io.stderr })
  const cancelled = new AbortController()
  for (const end of ['SIGINT', 'close']) terminal.on(end, () => cancelled.abort())
  io.err(templates())
  try {
    for (;;) {
      const typed = await terminal.question(`Which template? [${DEFAULT_TEMPLATE}] `, cancelled)
      const chosen = TEMPLATE_NAMES.find((name) => name === (typed.trim() || DEFAULT_TEMPLATE))
      if (chosen !== undefined) return chosen
    }
  } catch (error) {
    if (cancelled.signal.aborted) return undefined
    throw error
  } finally {
    terminal.close()
  }
}

/** Names of dependencies: npm does not install a package into a project of the same name. */
const TAKEN_NAMES = ['switchhook', 'express', 'zod', 'vitest', 'typescript', 'node', 'node_modules']

function packageName(folder: string, template: TemplateName): string {
  const name = folder
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replaceAll(/^[-._]+|-+$/g, '')
  return name === '' || TAKEN_NAMES.includes(name) ? template : name
}

/** This package's folder. The path is right both in the sources and in the published package. */
const PACKAGE = fileURLToPath(new URL('../../..', import.meta.url)).replace(/[/\\]$/, '')

/** Files that npm, git or the compiler would use in `templates/` itself if they had their real names there. */
const REAL_NAMES: Readonly<Record<string, string>> = {
  _gitignore: '.gitignore',
  _npmrc: '.npmrc',
  '_package.json': 'package.json',
  '_tsconfig.json': 'tsconfig.json',
}

/** Returns how many files it wrote. */
function writeProject(folder: string, template: TemplateName): number {
  const name = packageName(basename(folder), template)
  const home = join(PACKAGE, 'templates', template)
  const paths = readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(home, join(entry.parentPath, entry.name)))
  for (const path of paths) {
    const text = readFileSync(join(home, path), 'utf8')
    const target = join(folder, REAL_NAMES[path] ?? path)
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, path === '_package.json' ? packageJson(text, name, folder) : text.replaceAll(template, name))
  }
  return paths.length + writeSecrets(folder)
}

/** Writes `.env` with a new secret if `.env.example` asks for one. Returns how many files it wrote. */
function writeSecrets(folder: string): number {
  const example = readFileSync(join(folder, '.env.example'), 'utf8')
  if (!example.includes('\nSESSION_SECRET=\n')) return 0
  const secret = randomBytes(33).toString('base64')
  const filled = example.replace('\nSESSION_SECRET=\n', `\nSESSION_SECRET=${secret}\n`)
  writeFileSync(join(folder, '.env'), filled, { mode: 0o600 })
  return 1
}

function packageJson(ofTemplate: string, name: string, folder: string): string {
  const made = JSON.parse(ofTemplate)
  const dependencies = { ...made.dependencies, switchhook: dependencyFor(folder) }
  return `${JSON.stringify({ ...made, name, dependencies }, undefined, 2)}\n`
}

/** The new project gets the package that runs now: by version, or from the same tarball, folder or address. */
function dependencyFor(folder: string): string {
  const [owner = '', installed] = PACKAGE.split(`${sep}node_modules${sep}`)
  if (installed === undefined) return asFile(folder, PACKAGE)
  const spec = specIn(join(owner, 'package.json'))
  if (spec.startsWith('file:')) return asFile(folder, resolve(owner, spec.slice('file:'.length)))
  return spec.includes(':') ? spec : `^${VERSION}`
}

function specIn(file: string): string {
  try {
    const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(file, 'utf8'))
    return String(dependencies.switchhook ?? devDependencies.switchhook ?? '')
  } catch {
    return ''
  }
}

/** A relative path, so that both folders can be moved together. Resolves links: npm would follow them before `..`. */
function asFile(folder: string, target: string): string {
  return `file:${relative(realpathSync(folder), realpathSync(target)).replaceAll(sep, '/')}`
}
