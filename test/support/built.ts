import { spawnSync } from 'node:child_process'
import { globSync, statSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** Builds the package for the tests that read it, unless that was done since the last change: `npm test` does it first. */
export default function setup(): void {
  const newest = (pattern: string) =>
    Math.max(0, ...globSync(pattern, { cwd: root }).map((file) => statSync(join(root, file)).mtimeMs))
  const [code, pages] = [newest('dist/bot/switchhook.js'), newest('dist/pages/desk/index.html')]
  if (newest('src/**/*.{ts,tsx,css,html}') < Math.min(code, pages)) return
  const { status, stdout, stderr } = spawnSync('npm', ['run', '-s', 'build'], { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(`the package cannot be built: ${stdout}${stderr}`)
}
