import { relative } from 'node:path'
import { type Command, Option } from 'commander'
import { EXIT } from '../support/exit.ts'
import type { Io } from '../support/io.ts'
import { ask, canAsk } from './ask.ts'
import { type Choices, commandFor, type InitFlags, quoted, resolveChoices } from './choices.ts'
import { MANAGER_NAMES, MANAGERS } from './manager.ts'
import { LANGUAGE_NAMES, TEMPLATE_NAMES, TEMPLATES } from './own-package.ts'
import { type Git, initGit, writeProject, type Written } from './project.ts'

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
