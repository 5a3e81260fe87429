import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { fileURLToPath } from 'node:url'
import { type Command, Option } from 'commander'
import { optionsInvalid } from '../../base/errors.ts'
import { VERSION } from '../../base/version.ts'
import { EXIT } from './support/exit.ts'
import { type Io, isInteractive, pathOf } from './support/io.ts'

const TEMPLATES = {
  'auto-reply': 'answers automatically: words, buttons, the state of an order',
  'support-desk': 'a menu, opening hours, and a person who takes over',
  'existing-app': 'inside an Express app that has its own parser and routes',
} as const

type TemplateName = keyof typeof TEMPLATES
type Language = (typeof LANGUAGE_NAMES)[number]

const TEMPLATE_NAMES = Object.keys(TEMPLATES) as TemplateName[]
const LANGUAGE_NAMES = ['en', 'sw'] as const

const DEFAULTS = { folder: '.', template: 'auto-reply', language: 'en' } as const

/** Declares `switchhook init`. Loaded on Node 20 too, because a new bot installs its own runtime. */
export function addCommand(command: Command, io: Io): void {
  command
    .description('write a new bot, ready to be installed, tested and run; asks in a terminal for missing choices')
    .argument('[dir]', 'its folder (default: this one, if it is empty); its package is named after it')
    .addOption(new Option('--template <template>', 'the template (default: auto-reply)').choices(TEMPLATE_NAMES))
    .addOption(new Option('--language <language>', 'the language of its texts (default: en)').choices(LANGUAGE_NAMES))
    .option(
      '--switchhook <spec>',
      'its dependency on switchhook (default: the version, tarball or folder that runs this)',
    )
    .option('--yes', 'ask no questions')
    .option('--json', 'ask no questions; one line of JSON on stdout: {"folder":"…","files":[…],"next":[…],…}')
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
  readonly language?: Language
  readonly switchhook?: string
  readonly yes?: boolean
  readonly json?: boolean
}

async function init(io: Io, dir: string | undefined, flags: Flags): Promise<void> {
  const folder = pathOf(io, dir ?? DEFAULTS.folder)
  checkFolder(folder)
  const answers = canAsk(io, flags) ? await ask(io, flags) : flags
  if (answers === undefined) {
    io.err('\nNothing was written.')
    io.exitCode = EXIT.interrupted
    return
  }
  const { template = DEFAULTS.template, language = DEFAULTS.language } = answers
  mkdirSync(folder, { recursive: true })
  const name = packageName(basename(folder), template)
  const switchhook = flags.switchhook ?? dependencyFor(folder)
  const files = writeProject({ folder, template, language, name, switchhook })
  const path = relative(io.process.cwd(), folder)
  const next = [...(path === '' ? [] : [`cd ${quoted(path)}`]), 'npm install', 'npm test', 'npm run dev']
  if (flags.json) io.out(JSON.stringify({ folder, template, language, name, switchhook, files, next }))
  else
    io.err(
      [
        `${files.length} files of ${template} are in ${folder}; README.md there explains how to use the real service.`,
        'Next:',
        ...next.map((step) => `  ${step}`),
      ].join('\n'),
    )
}

function quoted(word: string): string {
  return /^[\w./@~+=-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}

// ── questions ───────────────────────────────────────────────────────────────────────────────────────

function canAsk(io: Io, { yes, json }: Flags): boolean {
  const ci = io.env['CI']
  const automatic = yes || json || (ci !== undefined && ci !== '' && ci !== 'false')
  return !automatic && isInteractive(io)
}

async function ask(io: Io, flags: Flags): Promise<Flags | undefined> {
  const terminal = createInterface({ input: io.stdin, output: io.stderr })
  const cancelled = new AbortController()
  // Ctrl-C, and the end of the input.
  for (const end of ['SIGINT', 'close']) terminal.on(end, () => cancelled.abort())
  const choose = async <T extends string>(what: string, names: readonly T[], usual: T): Promise<T> => {
    for (;;) {
      const typed = await terminal.question(`${what}? ${names.join(', ')} [${usual}] `, cancelled)
      const chosen = names.find((name) => name === (typed.trim() || usual))
      if (chosen !== undefined) return chosen
    }
  }
  if (flags.template === undefined) io.err(templates())
  try {
    const template = flags.template ?? (await choose('Which template', TEMPLATE_NAMES, DEFAULTS.template))
    const language = flags.language ?? (await choose('Which language', LANGUAGE_NAMES, DEFAULTS.language))
    return { ...flags, template, language }
  } catch (error) {
    if (cancelled.signal.aborted) return undefined
    throw error
  } finally {
    terminal.close()
  }
}

// ── the folder and the name ─────────────────────────────────────────────────────────────────────────

/** Characters that separate the parts of a URL or of PATH: tests and scripts do not run in a folder with one. */
const FORBIDDEN_IN_PATH = process.platform === 'win32' ? /[#?%]/ : /[#?%:\\]/

/** @throws SwitchhookError `options_invalid` if a bot cannot be written there, or could not run there. */
function checkFolder(folder: string): void {
  const [unfit] = FORBIDDEN_IN_PATH.exec(process.platform === 'win32' ? folder.slice(2) : folder) ?? []
  if (unfit !== undefined)
    throw optionsInvalid(
      `${folder}: npm's scripts and vitest do not run in a folder with ${unfit} in its path; name another`,
    )
  let place = folder
  while (!existsSync(place) && dirname(place) !== place) place = dirname(place)
  if (!statSync(place).isDirectory()) throw optionsInvalid(`${folder} cannot be a folder: ${place} is a file`)
  const found = existsSync(folder) ? readdirSync(folder).filter((name) => !isLeftover(folder, name)) : []
  if (found.length > 0)
    throw optionsInvalid(`${folder} is not empty (${found.sort().slice(0, 5).join(', ')}): name a new folder`)
}

/** Tells whether git, the system, or the installation of this package left the file behind. */
function isLeftover(folder: string, name: string): boolean {
  if (name === 'package.json') return isBare(join(folder, name))
  return /^(?:\.git|\.DS_Store|Thumbs\.db|node_modules|package-lock\.json|switchhook-\S+\.tgz)$/.test(name)
}

function isBare(file: string): boolean {
  try {
    const { dependencies = {}, devDependencies = {}, scripts = {} } = JSON.parse(readFileSync(file, 'utf8'))
    const installed = Object.keys({ ...dependencies, ...devDependencies })
    const ours = ['switchhook', 'create-switchhook']
    return (
      installed.every((name) => ours.includes(name)) &&
      Object.values(scripts).every((script) => String(script).includes('no test specified'))
    )
  } catch {
    return false
  }
}

/** npm accepts no longer names. */
const LONGEST_NAME = 214

/** npm does not install a dependency into a project of the same name. */
const TAKEN_NAMES = ['switchhook', 'express', 'zod', 'vitest', 'typescript', 'node', 'node_modules']

function packageName(folder: string, template: TemplateName): string {
  const name = folder
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[\u0300-\u036F]/g, '')
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replaceAll(/^[-._]+|-+$/g, '')
    .slice(0, LONGEST_NAME)
  return name === '' || TAKEN_NAMES.includes(name) ? template : name
}

// ── the files ───────────────────────────────────────────────────────────────────────────────────────

/** This package's folder: two levels up, from `src` and from `dist` alike. */
const PACKAGE = fileURLToPath(new URL('../../..', import.meta.url)).replace(/[/\\]$/, '')

/** Files whose real names would have an effect in `templates/` itself: on npm, git or the compiler. */
const REAL_NAMES: Readonly<Record<string, string>> = {
  _gitignore: '.gitignore',
  _npmrc: '.npmrc',
  '_package.json': 'package.json',
  '_tsconfig.json': 'tsconfig.json',
}

/** A file in another language than English stands beside the English one, as `words.sw.ts` beside `words.ts`. */
const IN_LANGUAGE = /\.\w\w\.ts$/

interface Choices {
  readonly folder: string
  readonly template: TemplateName
  readonly language: Language
  readonly name: string
  readonly switchhook: string
}

function writeProject(choices: Choices): string[] {
  const { folder, template, language, name } = choices
  const home = join(PACKAGE, 'templates', template)
  const paths = readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(home, join(entry.parentPath, entry.name)))
    .filter((path) => !IN_LANGUAGE.test(path))
  for (const path of paths) {
    const inLanguage = join(home, path.replace(/\.ts$/, `.${language}.ts`))
    const text = readFileSync(existsSync(inLanguage) ? inLanguage : join(home, path), 'utf8')
    const target = join(folder, REAL_NAMES[path] ?? path)
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(
      target,
      path === '_package.json' ? packageJson(text, target, choices) : text.replaceAll(template, name),
    )
  }
  return paths.map((path) => (REAL_NAMES[path] ?? path).replaceAll(sep, '/')).sort()
}

function packageJson(ofTemplate: string, target: string, { name, switchhook }: Choices): string {
  const made = JSON.parse(ofTemplate)
  const dependencies = { ...made.dependencies, switchhook }
  return `${JSON.stringify({ ...made, ...keptMembers(target), name, dependencies }, undefined, 2)}\n`
}

function keptMembers(target: string): Record<string, unknown> {
  if (!existsSync(target)) return {}
  const { version, description, author, license } = JSON.parse(readFileSync(target, 'utf8'))
  const given = Object.entries({ version, description, author, license })
  return Object.fromEntries(given.filter(([, value]) => value !== undefined && value !== ''))
}

/**
 * The dependency of a new project on the package that runs now: its version, or the tarball, address or checkout from
 * which it was installed.
 */
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

/** A relative path, so that both folders can be moved together. npm resolves links before it goes up from a folder. */
function asFile(folder: string, target: string): string {
  return `file:${relative(realpathSync(folder), realpathSync(target)).replaceAll(sep, '/')}`
}
