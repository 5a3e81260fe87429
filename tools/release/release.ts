import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findingsIn } from '../package/check.ts'
import { root, succeed } from '../run.ts'
import { type Manifest, tagOf, toDo } from './checks.ts'

/**
 * `npm run release -- --dry-run` tells what is still to be done and what would be published, and needs no network.
 * Without the flag it publishes both packages, with a provenance: so only where a workflow can prove what it built.
 */
const isDryRun = process.argv.includes('--dry-run')
const own = manifest('package.json')
const tag = tagOf(own.version)
const folder = mkdtempSync(join(tmpdir(), 'switchhook-release-'))
try {
  const tarballs = [pack('.'), pack('tools/create')]
  const left = [...openPoints(), ...tarballs.flatMap(findingsIn)]
  say(`${own.name} ${own.version}`, left.length === 0 ? ['all is done'] : left.map((point) => `to do: ${point}`))
  const publishing = tarballs.map((tarball) => ['npm', 'publish', tarball, '--provenance', '--access', 'public'])
  if (isDryRun) tell(publishing)
  else if (left.length > 0) process.exitCode = 1
  else for (const [command = '', ...args] of publishing) succeed(command, ...args)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** The problems of the checkout, which matter only when you publish. */
function openPoints(): string[] {
  const here = lines(succeed('git', 'tag', '--points-at', 'HEAD'))
  const points = toDo({
    own,
    create: manifest('tools/create/package.json'),
    locked: manifest('package-lock.json').version,
    changelog: read('CHANGELOG.md'),
    changes: succeed('git', 'status', '--porcelain'),
    tags: lines(succeed('git', 'tag')),
    here,
  })
  if (isDryRun) return points
  if (!here.includes(tag)) points.push(`this commit is not tagged ${tag}`)
  if (process.env['ACTIONS_ID_TOKEN_REQUEST_URL'] === undefined)
    points.push(`only .github/workflows/release.yml publishes, which the tag ${tag} starts: try \`--dry-run\` here`)
  return points
}

function tell(publishing: readonly (readonly string[])[]): void {
  say('manually, once `npm test` is green', [
    `git tag -a ${tag} -m '${own.name} ${own.version}' && git push origin ${tag}`,
  ])
  const shown = publishing.map((words) => words.map((word) => word.replace(`${folder}/`, '')).join(' '))
  say('then by .github/workflows/release.yml', shown)
}

/** Packs as npm would publish. Returns the file. */
function pack(from: string): string {
  const [packed] = JSON.parse(succeed('npm', 'pack', `./${from}`, '--json', '--silent', '--pack-destination', folder))
  const [size, unpacked] = [packed.size, packed.unpackedSize].map((bytes: number) => `${Math.ceil(bytes / 1_000)} kB`)
  say(packed.filename, [`${size} packed, ${unpacked} unpacked, ${packed.entryCount} files`])
  return join(folder, packed.filename)
}

function say(title: string, points: readonly string[]): void {
  console.log([title, ...points.map((point) => `  ${point}`)].join('\n'))
}

function manifest(file: string): Manifest {
  return JSON.parse(read(file))
}

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}

function lines(text: string): string[] {
  return text.split('\n').filter(Boolean)
}
