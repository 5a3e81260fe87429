import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What a bot can begin as: a folder of `templates/`, and what a newcomer is told of it. */
export const TEMPLATES = {
  'auto-reply': 'answers by itself: words, buttons, the state of an order',
  'support-desk': 'a menu, opening hours, and a person who takes over',
  'existing-app': 'inside an Express app that has its own parser and routes',
} as const

export type TemplateName = keyof typeof TEMPLATES

export const TEMPLATE_NAMES = Object.keys(TEMPLATES) as TemplateName[]

/** The package's own folder: as many steps up from the sources as from what is built. */
export const PACKAGE = fileURLToPath(new URL('../../..', import.meta.url))

export interface TemplateFile {
  readonly from: string
  /** Where it goes, below the new project's folder, with slashes. */
  readonly to: string
}

/** Files whose real names would mean something where the templates lie: to npm, to git, to the compiler. */
const REAL_NAMES: Readonly<Record<string, string>> = {
  _gitignore: '.gitignore',
  '_package.json': 'package.json',
  '_tsconfig.json': 'tsconfig.json',
}

export function filesOf(template: TemplateName): TemplateFile[] {
  const folder = join(PACKAGE, 'templates', template)
  if (!existsSync(folder)) throw new Error(`this copy of switchhook has no template ${template}: ${folder} is missing`)
  return filesBelow(folder).map((path) => ({ from: join(folder, path), to: REAL_NAMES[path] ?? path }))
}

function filesBelow(folder: string, above = ''): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = above + entry.name
      return entry.isDirectory() ? filesBelow(join(folder, entry.name), `${path}/`) : [path]
    })
}
