import { relative } from 'node:path'
import { EXIT } from '../exit.ts'
import { ask, canAsk } from './ask.ts'
import { type Choices, commandFor, type InitFlags, quoted, resolveChoices } from './choices.ts'
import { type Git, initGit } from './git.ts'
import { MANAGERS } from './manager.ts'
import { writeProject, type Written } from './write.ts'

/** `switchhook init`: a bot, ready to be installed, tested and run. Touches no network. */
export async function init(dir: string | undefined, flags: InitFlags): Promise<void> {
  const answers = canAsk(flags) ? await ask(dir, flags) : { dir, flags }
  if (answers === undefined) {
    process.stderr.write('Nothing was written.\n')
    process.exitCode = EXIT.interrupted
    return
  }
  const choices = resolveChoices(answers.dir, answers.flags)
  if (!flags.json) process.stderr.write(`${wordsFor(choices)}\n`)
  const written = writeProject(choices)
  const git = choices.git ? initGit(choices.folder) : 'not wanted'
  if (flags.json) process.stdout.write(`${JSON.stringify(lineFor(choices, git, written))}\n`)
  else process.stderr.write(`${nextSteps(choices, git, written)}\n`)
}

/** The choices, before anything is written. */
function wordsFor(choices: Choices): string {
  const { folder, template, name, manager, switchhook } = choices
  return [
    `A bot goes into ${folder}`,
    `  template         ${template}`,
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
  const { folder, template, name, manager, switchhook } = choices
  return {
    folder,
    template,
    name,
    manager,
    switchhook,
    git,
    files,
    ...(over.length > 0 && { over }),
    next: stepsFor(choices),
    again: commandFor(choices),
  }
}
