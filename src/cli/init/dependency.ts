import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { PACKAGE } from './template.ts'

const FILE = /^(?:file:)?(?<path>(?:[A-Za-z]:)?[^:]+\.(?:tgz|tar\.gz))$/
const ADDRESS = /^(?:https?|git(?:\+\w+)?|github|gitlab|bitbucket):/

/**
 * What a new project depends on, so that it is the package that runs now: its version; where that came from a tarball
 * or an address, the same; and a checkout where it runs from one.
 *
 * @param folder The project's, which need not exist yet.
 */
export function dependencyFor(folder: string): string {
  const owner = ownerOf(PACKAGE)
  if (owner === undefined) return asFile(folder, PACKAGE)
  const asked = askedFor(owner)
  const file = FILE.exec(asked)?.groups?.['path']
  if (file !== undefined && existsSync(resolve(owner, file))) return asFile(folder, resolve(owner, file))
  return ADDRESS.test(asked) ? asked : `^${ownVersion()}`
}

export function ownVersion(): string {
  return (JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as { version: string }).version
}

/** The folder that it is installed in; undefined where it is not installed. */
function ownerOf(home: string): string | undefined {
  const above = home.indexOf(`${sep}node_modules${sep}`)
  return above === -1 ? undefined : home.slice(0, above)
}

/** By which words it was asked for there; npx and its like keep such a folder too, a global install does not. */
function askedFor(owner: string): string {
  try {
    const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(join(owner, 'package.json'), 'utf8'))
    return String(dependencies.switchhook ?? devDependencies.switchhook ?? '')
  } catch {
    return ''
  }
}

/** Relative, so that both can be moved together. */
function asFile(folder: string, target: string): string {
  const path = relative(real(folder), realpathSync(target)).replaceAll(sep, '/')
  return `file:${path}`
}

/** The folder without symbolic links, as far as it exists: a package manager goes up from there. */
function real(folder: string): string {
  if (existsSync(folder)) return realpathSync(folder)
  const above = dirname(folder)
  return above === folder ? folder : join(real(above), relative(above, folder))
}
