import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { type Command, Option } from 'commander'
import validateName from 'validate-npm-package-name'
import { optionsInvalid, SwitchhookError } from '../../base/errors.ts'
import { EXIT } from '../support/exit.ts'
import { type Io, isInteractive } from '../support/io.ts'
import { checkEmpty, checkFiles, checkFolder } from './folder.ts'
import {
  adaptTo,
  dependencyFor,
  detectManager,
  filesOf,
  type Language,
  LANGUAGE_NAMES,
  LANGUAGES,
  type Manager,
  MANAGER_NAMES,
  type ManagerName,
  MANAGERS,
  TEMPLATE_NAMES,
  type TemplateName,
  TEMPLATES,
} from './manager.ts'

/** Declares `switchhook init`. Loaded on Node 20 too, since a new bot brings its own runtime. */
export function addCommand(command: Command, io: Io): void {
  command
    .description('write a new bot, ready to be installed, tested and run; asks in a terminal for missing choices')
    .argument('[dir]', 'its folder (default: this one, if it is empty)')
    .addOption(new Option('--template <template>', 'the template (default: auto-reply)').choices(TEMPLATE_NAMES))
    .addOption(new Option('--language <language>', 'the language of its texts (default: en)').choices(LANGUAGE_NAMES))
    .option('--name <name>', 'the name of its package (default: as the folder)')
    .addOption(
      new Option('--pm <manager>', 'its package manager (default: the one that runs this, or npm)').choices(
        MANAGER_NAMES,
      ),
    )
    .option(
      '--switchhook <spec>',
      'its dependency on switchhook (default: the version, tarball or folder that runs this)',
    )
    .option('--no-git', 'do not make it a git repository')
    .option('--force', 'write into a folder that is not empty, over files of the same name')
    .option('--yes', 'ask nothing')
    .option('--json', 'ask nothing; one line of JSON on stdout: {"folder":"…","files":[…],"next":[…],…}')
    .addHelpText(
      'after',
      `\nTemplates:\n${templates()}\n\nExample:\n  $ switchhook init my-bot --template support-desk\n`,
    )
    .action((dir, flags) => init(io, dir, flags))
}

function templates(): string {
  return TEMPLATE_NAMES.map((name) => `  ${name.padEnd(14)}${TEMPLATES[name]}`).join('\n')
}

/** Writes a new bot, ready to be installed, tested and run. Uses no network. */
async function init(io: Io, dir: string | undefined, flags: InitFlags): Promise<void> {
  const answers = canAsk(io, flags) ? await ask(io, dir, flags) : { dir, flags }
  if (answers === undefined) {
    io.err('Nothing was written.')
    io.exitCode = EXIT.interrupted
    return
  }
  const choices = resolveChoices(io, answers.dir, answers.flags)
  if (!flags.json) io.err(choicesText(choices))
  const written = writeProject(choices)
  const git = choices.git ? initGit(choices.folder) : 'not wanted'
  if (flags.json) io.out(JSON.stringify(lineFor(choices, git, written)))
  else io.err(nextSteps(choices, git, written))
}

function choicesText(choices: Choices): string {
  const { folder, template, language, name, manager, switchhook } = choices
  return [
    `A bot goes into ${folder}`,
    `  template         ${template}`,
    `  language         ${language}`,
    `  name             ${name}`,
    `  package manager  ${manager}`,
    `  switchhook       ${switchhook}`,
    'The same again:',
    `  ${commandFor(choices)}`,
    '',
  ].join('\n')
}

function nextSteps(choices: Choices, git: Git, { files, over }: Written): string {
  return [
    `${files.length} files are written. ${ABOUT_GIT[git]}`.trimEnd(),
    ...(over.length > 0 ? [`Written over: ${over.join(', ')}.`] : []),
    '',
    'Next:',
    ...stepsFor(choices).map((step) => `  ${step}`),
    '',
    'README.md says how to go to the real service.',
  ].join('\n')
}

const ABOUT_GIT: Readonly<Record<Git, string>> = {
  initialised: 'The folder is a git repository; nothing is committed.',
  'inside another': 'It is inside a git repository already.',
  'not wanted': '',
  'not there': 'There is no git repository: git did not make one.',
}

function stepsFor({ folder, manager }: Choices): string[] {
  const { install, test, run } = MANAGERS[manager]
  const path = relative(process.cwd(), folder)
  return [...(path === '' ? [] : [`cd ${quoted(path)}`]), install, test, `${run} dev`]
}

function lineFor(choices: Choices, git: Git, { files, over }: Written): object {
  const { force: _, ...chosen } = choices
  return {
    ...chosen,
    git,
    files,
    ...(over.length > 0 && { over }),
    next: stepsFor(choices),
    again: commandFor(choices),
  }
}

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

/** Files in which the template's name and npm's commands are replaced by the project's. */
const TEXTS = ['README.md', 'Dockerfile', '.dockerignore', '.env.example', 'src/main.ts']

/** The project's files, and those among them that existed and were overwritten. */
export interface Written {
  readonly files: readonly string[]
  readonly over: readonly string[]
}

/** Writes all files. @throws SwitchhookError `options_invalid` before the first one if not all can be written. */
export function writeProject(choices: Choices): Written {
  const { folder, template, language, name, manager } = choices
  const { files: own = {} }: Manager = MANAGERS[manager]
  const files = filesOf(template, language)
  const names = [...files.map(({ to }) => to), ...Object.keys(own)].sort()
  const over = checkFiles(folder, names)
  for (const { from, to } of files) {
    const target = join(folder, to)
    mkdirSync(dirname(target), { recursive: true })
    if (to === 'package.json') writeFileSync(target, packageJson(readFileSync(from, 'utf8'), target, choices))
    else if (TEXTS.includes(to))
      writeFileSync(target, adaptTo(manager, readFileSync(from, 'utf8').replaceAll(template, name)))
    else copyFileSync(from, target)
  }
  for (const [file, content] of Object.entries(own)) writeFileSync(join(folder, file), content)
  return { files: names, over }
}

function packageJson(ofTemplate: string, target: string, { name, manager, switchhook }: Choices): string {
  const { allowScripts: _, ...made } = JSON.parse(ofTemplate)
  const { allow, devDependencies }: Manager = MANAGERS[manager]
  const project = {
    ...made,
    ...keptMembers(target),
    name,
    dependencies: { ...made.dependencies, switchhook },
    devDependencies: { ...made.devDependencies, ...devDependencies },
    ...allow,
  }
  return `${JSON.stringify(project, undefined, 2)}\n`
}

/** Members of an existing package.json that `npm init` asks for. */
function keptMembers(target: string): Record<string, unknown> {
  if (!existsSync(target)) return {}
  const { version, description, author, license } = JSON.parse(readFileSync(target, 'utf8'))
  return Object.fromEntries(
    Object.entries({ version, description, author, license }).filter(
      ([, value]) => value !== undefined && value !== '',
    ),
  )
}

export type Git = 'initialised' | 'inside another' | 'not wanted' | 'not there'

/** Makes the folder a git repository unless it is inside one. Git's hints about its settings are not shown. */
export function initGit(folder: string): Git {
  const inside = spawnSync('git', ['rev-parse', '--is-inside-work-tree'], { cwd: folder, encoding: 'utf8' })
  if (inside.error) return 'not there'
  if (inside.stdout.trim() === 'true') return 'inside another'
  return spawnSync('git', ['init', '--quiet'], { cwd: folder, stdio: 'ignore' }).status === 0
    ? 'initialised'
    : 'not there'
}
