import { resolve } from 'node:path'
import { SwitchhookError } from '../../base/errors.ts'
import { type Io, isInteractive } from '../support/io.ts'
import { type InitFlags, USUAL_FOLDER, USUAL_LANGUAGE, USUAL_TEMPLATE } from './choices.ts'
import { nameFromFolder, nameProblem } from './choices.ts'
import { checkEmpty, checkFolder } from './folder.ts'
import { LANGUAGE_NAMES, LANGUAGES, TEMPLATE_NAMES, TEMPLATES } from './own-package.ts'

interface Answers {
  readonly dir: string
  readonly flags: InitFlags
}

/** Tells whether questions are allowed and somebody can answer them. */
export function canAsk(io: Io, { yes, json }: InitFlags): boolean {
  const ci = io.env['CI']
  const automatic = yes || json || (ci !== undefined && ci !== '' && ci !== 'false')
  return !automatic && isInteractive(io)
}

/** Asks for the choices that the flags leave open; undefined if the user cancels. */
export async function ask(io: Io, dir: string | undefined, flags: InitFlags): Promise<Answers | undefined> {
  // Loaded only here, so that a run without questions does not wait for the import.
  const { isCancel, select, text } = await import('@clack/prompts')
  const output = io.stderr
  const where =
    dir ??
    (await text({
      output,
      message: 'Where does the bot go?',
      placeholder: USUAL_FOLDER,
      defaultValue: USUAL_FOLDER,
      validate: (given) => problemOf(() => check(given?.trim() || USUAL_FOLDER, flags)),
    }))
  if (isCancel(where)) return undefined
  if (dir !== undefined) check(dir, flags)

  const template =
    flags.template ??
    (await select({
      output,
      message: 'What does it begin as?',
      initialValue: USUAL_TEMPLATE,
      options: TEMPLATE_NAMES.map((value) => ({ value, label: value, hint: TEMPLATES[value] })),
    }))
  if (isCancel(template)) return undefined

  const language =
    flags.language ??
    (await select({
      output,
      message: 'In which language does it write?',
      initialValue: USUAL_LANGUAGE,
      options: LANGUAGE_NAMES.map((value) => ({ value, label: LANGUAGES[value] })),
    }))
  if (isCancel(language)) return undefined

  const usualName = nameFromFolder(resolve(where.trim()).split(/[/\\]/).at(-1) ?? '') ?? template
  const name =
    flags.name ??
    (await text({
      output,
      message: 'What is its package called?',
      placeholder: usualName,
      defaultValue: usualName,
      validate: (given) => (given?.trim() ? nameProblem(given.trim()) : undefined),
    }))
  if (isCancel(name)) return undefined
  return { dir: where.trim(), flags: { ...flags, template, language, name: name.trim() } }
}

function check(dir: string, { force }: InitFlags): void {
  checkFolder(resolve(dir))
  if (!force) checkEmpty(resolve(dir))
}

function problemOf(run: () => void): string | undefined {
  try {
    run()
    return undefined
  } catch (error) {
    if (error instanceof SwitchhookError) return error.message
    throw error
  }
}
