import { basename, relative, resolve } from 'node:path'
import { SwitchhookError } from '../../base/errors.ts'
import { dependencyFor } from './dependency.ts'
import { checkEmpty, checkFolder } from './folder.ts'
import { detectManager, MANAGERS, type ManagerName } from './manager.ts'
import { nameFrom, wrongWith } from './package-name.ts'
import type { TemplateName } from './template.ts'

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
export function resolveChoices(dir: string | undefined, flags: InitFlags): Choices {
  const { template = USUAL_TEMPLATE, force = false, git } = flags
  const folder = resolve(dir ?? USUAL_FOLDER)
  checkFolder(folder)
  if (!force) checkEmpty(folder)
  const name = flags.name ?? nameFrom(basename(folder)) ?? template
  const wrong = wrongWith(name)
  if (wrong) throw new SwitchhookError('options_invalid', `--name: ${JSON.stringify(name)} will not do: ${wrong}`)
  const manager = flags.pm ?? detectManager(process.env['npm_config_user_agent'])
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
