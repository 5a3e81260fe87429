/**
 * Makes the site of the docs in `docs/.vitepress/dist`:
 *
 *     npm run docs                        for any web server
 *     npm run docs -- --base /switchhook/   for one that has it in a folder
 *     npm run docs -- --look              and shows it on this machine
 */
import { spawnSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { brokenLinks } from './check.ts'
import { allCommands, COMMAND_PAGE, withFlags } from './commands.ts'
import { writeForModels } from './models.ts'
import { stage } from './stage.ts'

const here = import.meta.dirname
const { values: asked } = parseArgs({ options: { base: { type: 'string', default: '/' }, look: { type: 'boolean' } } })

installGenerator()
const staged = join(here, 'build')
rmSync(staged, { recursive: true, force: true })
const commands = await allCommands()
stage(staged, (page, text) => (page === COMMAND_PAGE ? withFlags(text, commands) : text))
run(process.execPath, join(here, 'node_modules/typescript/bin/tsc'), '-p', here)
run(process.execPath, join(here, 'reference/write.ts'), staged)
vitepress('build', '--base', asked.base)
writeForModels(staged, join(here, 'dist'))
const broken = brokenLinks(join(here, 'dist'), asked.base)
for (const link of broken) console.error(link)
if (broken.length > 0) process.exit(1)
console.log(`the site is in ${join(here, 'dist')}${asked.look ? '' : '; npm run docs -- --look serves it'}`)
if (asked.look) vitepress('preview', '--base', asked.base)

/** The generator is large, so `npm ci` of the repository leaves it out. */
function installGenerator(): void {
  if (existsSync(join(here, 'node_modules'))) return
  console.log('installing the generator of the site, once')
  run('npm', 'ci', '--prefix', here)
}

function vitepress(command: string, ...args: string[]): void {
  run(process.execPath, join(here, 'node_modules/vitepress/bin/vitepress.js'), command, join(here, '..'), ...args)
}

function run(command: string, ...args: string[]): void {
  const shell = command === 'npm' && process.platform === 'win32'
  const { status, error } = spawnSync(command, args, { stdio: 'inherit', shell })
  if (status === 0) return
  console.error(`${[command, ...args].join(' ')} failed`, error ?? '')
  process.exit(1)
}
