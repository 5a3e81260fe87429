import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Choices } from './choices.ts'
import { checkFiles } from './folder.ts'
import { adaptTo, type Manager, MANAGERS } from './manager.ts'
import { filesOf } from './own-package.ts'

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
