import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ownVersion } from '../../app/version.ts'

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
  return ADDRESS.test(asked) ? asked : `^${ownVersion()}`
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
