import { spawnSync } from 'node:child_process'

export type Git = 'initialised' | 'inside another' | 'not wanted' | 'not there'

/** Makes the folder a repository, unless it is inside one. What git says of its own settings is not passed on. */
export function initGit(folder: string): Git {
  const inside = spawnSync('git', ['rev-parse', '--is-inside-work-tree'], { cwd: folder, encoding: 'utf8' })
  if (inside.error) return 'not there'
  if (inside.stdout.trim() === 'true') return 'inside another'
  return spawnSync('git', ['init', '--quiet'], { cwd: folder, stdio: 'ignore' }).status === 0
    ? 'initialised'
    : 'not there'
}
