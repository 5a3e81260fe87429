import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { VERSION } from '../../base/version.ts'

/** A package manager's commands. The templates are written for npm; another manager's commands replace npm's. */
export interface Manager {
  readonly install: string
  readonly test: string
  /** The command before the name of a script. */
  readonly run: string
  /** The command before the binary of an installed package. */
  readonly exec: string
  /** The files that a container build copies and the command that installs production dependencies only. */
  readonly image: { readonly files: readonly string[]; readonly install: string }
  /** Further dependencies; undefined removes one that the manager cannot install. */
  readonly devDependencies?: Readonly<Record<string, string | undefined>>
  /** Members of package.json that allow the install script of `node`, the pinned runtime. */
  readonly allow?: Readonly<Record<string, unknown>>
  /** The manager's own files, by name. */
  readonly files?: Readonly<Record<string, string>>
}

export const MANAGERS = {
  npm: {
    install: 'npm install',
    test: 'npm test',
    run: 'npm run',
    exec: 'npx',
    image: { files: ['package.json', 'package-lock.json'], install: 'npm ci --omit=dev' },
    // better-sqlite3 comes with a prebuilt binary, so nothing is compiled.
    allow: { allowScripts: { 'better-sqlite3': false, node: true } },
    // npm on an older Node would warn of the engines of each package, though the project brings its own Node.
    files: { '.npmrc': 'loglevel=error\n' },
  },
  pnpm: {
    install: 'pnpm install',
    test: 'pnpm test',
    // In full: `pnpm doctor` is a command of its own.
    run: 'pnpm run',
    exec: 'pnpm exec',
    image: {
      files: ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml'],
      install: 'npx --yes pnpm@12.21.0 install --prod --frozen-lockfile',
    },
    files: { 'pnpm-workspace.yaml': 'allowBuilds:\n  better-sqlite3: false\n  node: true\n' },
  },
  yarn: {
    install: 'yarn install',
    test: 'yarn test',
    run: 'yarn run',
    exec: 'yarn',
    image: {
      files: ['package.json', 'yarn.lock', '.yarnrc.yml'],
      install: 'npx --yes @yarnpkg/cli-dist@4.18.1 workspaces focus --production',
    },
    // Yarn cannot run the install script of `node` and installs no peer dependencies.
    devDependencies: { node: undefined, vite: '8.3.8' },
    // The empty lock file makes the project a root of its own, whatever is above it.
    files: { '.yarnrc.yml': 'nodeLinker: node-modules\n', 'yarn.lock': '' },
  },
  bun: {
    install: 'bun install',
    test: 'bun run test',
    run: 'bun run',
    exec: 'bunx',
    image: {
      files: ['package.json', 'bun.lock'],
      install: 'npx --yes bun@1.4.5 install --production --frozen-lockfile',
    },
    allow: { trustedDependencies: ['node'] },
  },
} as const satisfies Record<string, Manager>

export type ManagerName = keyof typeof MANAGERS

export const MANAGER_NAMES = Object.keys(MANAGERS) as ManagerName[]

/** The manager that started this process, by its user agent: `pnpm/12.21.0 npm/? node/v24.21.0 linux x64`. */
export function detectManager(userAgent: string | undefined): ManagerName {
  const name = userAgent?.split('/', 1)[0] ?? ''
  return MANAGER_NAMES.find((known) => known === name) ?? 'npm'
}

/** Replaces npm's commands in a template's text by another manager's. */
export function adaptTo(manager: ManagerName, text: string): string {
  const from = MANAGERS.npm
  const to: Manager = MANAGERS[manager]
  const ownRuntime = 'node' in (to.devDependencies ?? {})
  return text
    .replaceAll(BRINGS_RUNTIME, ownRuntime ? NEEDS_RUNTIME : BRINGS_RUNTIME)
    .replaceAll(from.image.install, to.image.install)
    .replaceAll(from.image.files.join(' '), to.image.files.join(' '))
    .replaceAll(from.image.files.map(unignored).join('\n'), to.image.files.map(unignored).join('\n'))
    .replaceAll(from.install, to.install)
    .replaceAll(from.test, to.test)
    .replaceAll('npm start', `${to.run} start`)
    .replaceAll(`${from.run} `, `${to.run} `)
    .replaceAll(`${from.exec} switchhook`, `${to.exec} switchhook`)
}

/** A sentence of the templates' READMEs, and the one that is true if the runtime is no dependency. */
const BRINGS_RUNTIME = 'the version in `package.json` comes with `npm install`'
const NEEDS_RUNTIME = 'yours must be 22.18 or newer'

function unignored(file: string): string {
  return `!${file}`
}

/** The templates for a bot, each a folder of `templates/`, with a description for newcomers. */
export const TEMPLATES = {
  'auto-reply': 'answers by itself: words, buttons, the state of an order',
  'support-desk': 'a menu, opening hours, and a person who takes over',
  'existing-app': 'inside an Express app that has its own parser and routes',
} as const

export type TemplateName = keyof typeof TEMPLATES

export const LANGUAGES = { en: 'English', sw: 'Kiswahili' } as const

export type Language = keyof typeof LANGUAGES

export const LANGUAGE_NAMES = Object.keys(LANGUAGES) as Language[]

export const TEMPLATE_NAMES = Object.keys(TEMPLATES) as TemplateName[]

/** This package's folder: three levels up, from `src` and from `dist` alike. */
const PACKAGE = fileURLToPath(new URL('../../..', import.meta.url))

interface TemplateFile {
  readonly from: string
  /** The path in the new project's folder, with slashes. */
  readonly to: string
}

/** Files whose real names would have an effect in `templates/` itself: on npm, git or the compiler. */
const REAL_NAMES: Readonly<Record<string, string>> = {
  _gitignore: '.gitignore',
  '_package.json': 'package.json',
  '_tsconfig.json': 'tsconfig.json',
}

/** A file in another language than English stands beside the English one, as `words.sw.ts` beside `words.ts`. */
const IN_LANGUAGE = /\.(\w\w)\.ts$/

export function filesOf(template: TemplateName, language: Language): TemplateFile[] {
  const folder = join(PACKAGE, 'templates', template)
  if (!existsSync(folder)) throw new Error(`this copy of switchhook has no template ${template}: ${folder} is missing`)
  const paths = filesBelow(folder)
  const inLanguage = (path: string) => path.replace(/\.ts$/, `.${language}.ts`)
  return paths
    .filter((path) => !IN_LANGUAGE.test(path))
    .map((path) => {
      const from = paths.includes(inLanguage(path)) ? inLanguage(path) : path
      return { from: join(folder, from), to: REAL_NAMES[path] ?? path }
    })
}

function filesBelow(folder: string, above = ''): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = above + entry.name
      return entry.isDirectory() ? filesBelow(join(folder, entry.name), `${path}/`) : [path]
    })
}

const FILE = /^(?:file:)?(?<path>(?:[A-Za-z]:)?[^:]+\.(?:tgz|tar\.gz))$/
const ADDRESS = /^(?:https?|git(?:\+\w+)?|github|gitlab|bitbucket):/

/**
 * The dependency that gives a new project the package that runs now: its version, or the tarball, address or checkout
 * from which it was installed.
 *
 * @param folder The project's, which need not exist yet.
 */
export function dependencyFor(folder: string): string {
  const owner = ownerOf(PACKAGE)
  if (owner === undefined) return asFile(folder, PACKAGE)
  const asked = askedFor(owner)
  const file = FILE.exec(asked)?.groups?.['path']
  if (file !== undefined && existsSync(resolve(owner, file))) return asFile(folder, resolve(owner, file))
  return ADDRESS.test(asked) ? asked : `^${VERSION}`
}

/** The folder of the project in which this package is installed; undefined in a checkout. */
function ownerOf(home: string): string | undefined {
  const above = home.indexOf(`${sep}node_modules${sep}`)
  return above === -1 ? undefined : home.slice(0, above)
}

/** The version specifier in that project; empty for a global install. npx keeps such a project too. */
function askedFor(owner: string): string {
  try {
    const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(join(owner, 'package.json'), 'utf8'))
    return String(dependencies.switchhook ?? devDependencies.switchhook ?? '')
  } catch {
    return ''
  }
}

/** A relative path, so that both folders can be moved together. */
function asFile(folder: string, target: string): string {
  const path = relative(real(folder), realpathSync(target)).replaceAll(sep, '/')
  return `file:${path}`
}

/** Resolves symbolic links of the existing part of a path, as package managers do before they go up from it. */
function real(folder: string): string {
  if (existsSync(folder)) return realpathSync(folder)
  const above = dirname(folder)
  return above === folder ? folder : join(real(above), relative(above, folder))
}
