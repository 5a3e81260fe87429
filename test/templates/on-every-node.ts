/**
 * What a new user does, on each Node that we promise: installs the packed package in an empty folder, `init`,
 * `npm install`, `npm test`, `npm run dev`, and one message is answered. On Node 20 too, where the commands of a project
 * run on the Node that it brings. Then the package under Jest, node:test and older settings of TypeScript, and `verify` against apps of seven frameworks. `node test/templates/on-every-node.ts [version…]`; takes some minutes and the network.
 * `--suite=1/1` runs units and journeys of the checkout instead, on the oldest Node and on the newest; `--suite=3/10` a shard of
 * them, and `--suite=today` the tenth that is today's turn.
 */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { parseArgs } from 'node:util'
import { tryFrameworks } from './frameworks.ts'
import { tryRunners } from './other-runners.ts'
import { pack, root, succeeds } from './packed.ts'
import { runSuite } from './suite-on-node.ts'
import { answerOf, FIRST_WORDS, type Template, TEMPLATES } from './try-out.ts'

const NODES = ['20.20.2', '22.14.0', '24.21.0', '26.10.0']
const INSTALL = ['install', '--prefer-offline', '--no-audit', '--no-fund']

/** From here on Node strips types without being asked to. */
const STRIPS_TYPES = [22, 18] as const

const { positionals: asked, values } = parseArgs({ allowPositionals: true, options: { suite: { type: 'string' } } })
const DAY_MS = 86_400_000
const folder = mkdtempSync(join(tmpdir(), 'switchhook-nodes-'))
try {
  if (values.suite === undefined) await tryAll()
  else
    await runSuite(
      environmentOf,
      values.suite === 'today' ? `${(Math.floor(Date.now() / DAY_MS) % 10) + 1}/10` : values.suite,
    )
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function tryAll(): Promise<void> {
  await succeeds('npm', ['run', 'build'], root)
  const tarball = await pack(folder)
  const create = await packCreate()
  for (const version of asked.length > 0 ? asked : NODES) await tryOn(version, [tarball, create])
}

async function packCreate(): Promise<string> {
  const file = await succeeds('npm', ['pack', '--silent', '--pack-destination', folder], join(root, 'tools/create'))
  return join(folder, file.trim())
}

async function tryOn(version: string, tarballs: readonly string[]): Promise<void> {
  const began = performance.now()
  const environment = await environmentOf(version)
  const here = join(folder, `on-${version}`)
  mkdirSync(here)
  const inside = await succeeds('node', ['-p', 'process.version'], here, environment)
  if (inside.trim() !== `v${version}`) throw new Error(`expected Node ${version}, got ${inside}`)
  await succeeds('npm', [...INSTALL, ...tarballs], here, environment)
  await Promise.all(TEMPLATES.map((template) => tryTemplate(template, version, here, environment)))
  if (runsThePackage(version)) {
    await tryRunners(tarballs[0] ?? '', here, environment)
    await tryFrameworks(tarballs[0] ?? '', here, environment)
  }
  await succeeds('npx', ['--no-install', 'create-switchhook', 'created', '--yes'], here, environment)
  console.error(`Node ${version}: ${TEMPLATES.join(', ')} (${Math.round((performance.now() - began) / 1_000)} s)`)
}

async function tryTemplate(
  template: Template,
  version: string,
  here: string,
  environment: Record<string, string>,
): Promise<void> {
  const init = ['--no-install', 'switchhook', 'init', template, '--template', template, '--yes']
  await succeeds('npx', init, here, environment)
  const project = join(here, template)
  await succeeds('npm', INSTALL, project, environment)
  await succeeds('npm', ['run', 'types'], project, environment)
  await succeeds('npm', ['test'], project, environment)
  // And on this very Node, as where a project does not bring its own.
  if (stripsTypes(version)) await succeeds('node', ['node_modules/vitest/vitest.mjs', 'run'], project, environment)
  const answer = await answerOf(project, template, environment)
  if (answer !== FIRST_WORDS[template].answer) throw new Error(`${template} on Node ${version} answered ${answer}`)
}

/** On Node 20 only `init` runs; a project brings its own Node. */
function runsThePackage(version: string): boolean {
  return Number(version.split('.')[0]) >= 22
}

function stripsTypes(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > STRIPS_TYPES[0] || (major === STRIPS_TYPES[0] && minor >= STRIPS_TYPES[1])
}

async function environmentOf(version: string): Promise<Record<string, string>> {
  return { PATH: await pathTo(version), NODE_ENV: '', npm_config_user_agent: '' }
}

/** A search path on which this Node comes first, and nothing of this repository is. */
async function pathTo(version: string): Promise<string> {
  const place = join(folder, `node-${version}`)
  mkdirSync(place)
  await succeeds('npm', [...INSTALL, '--prefix', place, `node@${version}`], place)
  const others = (process.env['PATH'] ?? '').split(delimiter).filter((entry) => !entry.includes('node_modules'))
  const bin = join(place, 'bin')
  mkdirSync(bin)
  symlinkSync(join(place, 'node_modules/node/bin/node'), join(bin, 'node'))
  return [bin, ...others].join(delimiter)
}
