import { builtinModules } from 'node:module'
import { basename, relative, resolve } from 'node:path'
import { SwitchhookError } from '../../base/errors.ts'
import { checkEmpty, checkFolder } from './folder.ts'
import { detectManager, type ManagerName, MANAGERS } from './manager.ts'
import { dependencyFor, type TemplateName } from './own-package.ts'
import type { Io } from '../support/io.ts'

export interface InitFlags {
  readonly template?: TemplateName
  readonly name?: string
  readonly pm?: ManagerName
  readonly switchhook?: string
  /** False with `--no-git`. */
  readonly git: boolean
  readonly force?: boolean
  readonly yes?: boolean
  readonly json?: boolean
}

/** All that `init` needs to know: nothing is asked or guessed afterwards. */
export interface Choices {
  readonly folder: string
  readonly template: TemplateName
  readonly name: string
  readonly manager: ManagerName
  readonly switchhook: string
  readonly git: boolean
  readonly force: boolean
}

export const USUAL_TEMPLATE: TemplateName = 'auto-reply'

/** Where a dot stands for the folder in which the command runs. */
export const USUAL_FOLDER = '.'

/** What was given made complete. @throws SwitchhookError `options_invalid` */
export function resolveChoices(io: Io, dir: string | undefined, flags: InitFlags): Choices {
  const { template = USUAL_TEMPLATE, force = false, git } = flags
  const folder = resolve(dir ?? USUAL_FOLDER)
  checkFolder(folder)
  if (!force) checkEmpty(folder)
  const name = flags.name ?? nameFromFolder(basename(folder)) ?? template
  const wrong = nameProblem(name)
  if (wrong) throw new SwitchhookError('options_invalid', `--name: ${JSON.stringify(name)} will not do: ${wrong}`)
  const manager = flags.pm ?? detectManager(io.env['npm_config_user_agent'])
  return { folder, template, name, manager, switchhook: flags.switchhook ?? dependencyFor(folder), git, force }
}

/** The one command that makes the same choices again. */
export function commandFor({ folder, template, name, manager, switchhook, git, force }: Choices): string {
  const words = [
    `${MANAGERS[manager].exec} switchhook init`,
    quoted(relative(process.cwd(), folder) || USUAL_FOLDER),
    `--template ${template}`,
    `--name ${name}`,
    `--pm ${manager}`,
    `--switchhook ${quoted(switchhook)}`,
    ...(git ? [] : ['--no-git']),
    ...(force ? ['--force'] : []),
    '--yes',
  ]
  return words.join(' ')
}

/** As a shell takes it for one word. */
export function quoted(word: string): string {
  return /^[\w./:@^~+=-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}

const LONGEST = 214

const FORM = /^(?:@[a-z0-9~][a-z0-9-._~]*\/)?[a-z0-9~][a-z0-9-._~]*$/

/** What the templates depend on: a project of that name would find itself in its place. */
const TAKEN = ['switchhook', 'express', 'zod', 'vitest', 'typescript', 'node', 'node_modules', 'favicon.ico']

/** What is wrong with the name of a package, by npm's rules; undefined where nothing is. */
export function nameProblem(name: string): string | undefined {
  if (name.length > LONGEST) return `it has more than ${LONGEST} characters`
  if (!FORM.test(name)) return 'only lower-case letters, digits, - . _ and ~ may be in it, and - . _ not at its start'
  if (TAKEN.includes(name) || builtinModules.includes(name)) return 'that is the name of something that it uses'
  return undefined
}

/** A name made of a folder's; undefined where nothing can be made of it. */
export function nameFromFolder(folder: string): string | undefined {
  const name = folder
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[\u0300-\u036F]/g, '')
    .replaceAll(/[^a-z0-9~._-]+/g, '-')
    .replaceAll(/^[-._]+|-+$/g, '')
    .slice(0, LONGEST)
  return nameProblem(name) === undefined ? name : undefined
}
