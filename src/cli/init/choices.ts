import { basename, relative, resolve } from 'node:path'
import validateName from 'validate-npm-package-name'
import { optionsInvalid } from '../../base/errors.ts'
import type { Io } from '../support/io.ts'
import { checkEmpty, checkFolder } from './folder.ts'
import { detectManager, type ManagerName, MANAGERS } from './manager.ts'
import { dependencyFor, type Language, type TemplateName } from './own-package.ts'

export interface InitFlags {
  readonly template?: TemplateName
  readonly language?: Language
  readonly name?: string
  readonly pm?: ManagerName
  readonly switchhook?: string
  /** False with `--no-git`. */
  readonly git: boolean
  readonly force?: boolean
  readonly yes?: boolean
  readonly json?: boolean
}

/** All choices of `init`; nothing is asked or guessed afterwards. */
export type Choices = ReturnType<typeof resolveChoices>

export const USUAL_TEMPLATE: TemplateName = 'auto-reply'

export const USUAL_LANGUAGE: Language = 'en'

/** The folder in which the command runs. */
export const USUAL_FOLDER = '.'

/** Completes the given flags. @throws SwitchhookError `options_invalid` */
export function resolveChoices(io: Io, dir: string | undefined, flags: InitFlags) {
  const { template = USUAL_TEMPLATE, language = USUAL_LANGUAGE, force = false, git } = flags
  const folder = resolve(dir ?? USUAL_FOLDER)
  checkFolder(folder)
  if (!force) checkEmpty(folder)
  const name = flags.name ?? nameFromFolder(basename(folder)) ?? template
  const wrong = nameProblem(name)
  if (wrong) throw optionsInvalid(`--name: ${JSON.stringify(name)} will not do: ${wrong}`)
  const manager = flags.pm ?? detectManager(io.env['npm_config_user_agent'])
  const switchhook = flags.switchhook ?? dependencyFor(folder)
  return { folder, template, language, name, manager, switchhook, git, force }
}

/** The command that makes the same choices again. */
export function commandFor(choices: Choices): string {
  const { folder, template, language, name, manager, switchhook, git, force } = choices
  const words = [
    `${MANAGERS[manager].exec} switchhook init`,
    quoted(relative(process.cwd(), folder) || USUAL_FOLDER),
    `--template ${template}`,
    `--language ${language}`,
    `--name ${quoted(name)}`,
    `--pm ${manager}`,
    `--switchhook ${quoted(switchhook)}`,
    ...(git ? [] : ['--no-git']),
    ...(force ? ['--force'] : []),
    '--yes',
  ]
  return words.join(' ')
}

export function quoted(word: string): string {
  return /^[\w./:@^~+=-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}

/** npm takes no longer names. */
const LONGEST_NAME = 214

/** The templates depend on these packages: a project of the same name would find itself in their place. */
const USED_BY_TEMPLATES = ['switchhook', 'express', 'zod', 'vitest', 'typescript', 'node']

/** The reason why npm or the template refuses a package's name; undefined for a good name. */
export function nameProblem(name: string): string | undefined {
  const { errors = [], warnings = [] } = validateName(name)
  // What npm merely warns about is forbidden for new packages.
  const problems = [...errors, ...warnings]
  if (USED_BY_TEMPLATES.includes(name)) problems.push('it is the name of a package that the bot depends on')
  return problems.length > 0 ? problems.join('; ') : undefined
}

/** A package name made from a folder's name; undefined if none can be made. */
export function nameFromFolder(folder: string): string | undefined {
  const name = folder
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[\u0300-\u036F]/g, '')
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replaceAll(/^[-._]+|-+$/g, '')
    .slice(0, LONGEST_NAME)
  return nameProblem(name) === undefined ? name : undefined
}
