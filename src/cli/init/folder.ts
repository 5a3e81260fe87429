import { accessSync, constants, existsSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { optionsInvalid, type SwitchhookError } from '../../base/errors.ts'
import { isRecord } from '../../base/value.ts'

/** Files that git, the system, or the installation of this package leaves behind: nobody's work. */
const NOBODYS = [
  '.git',
  '.DS_Store',
  'Thumbs.db',
  'node_modules',
  'package-lock.json',
  'pnpm-lock.yaml',
  'yarn.lock',
  'bun.lock',
]
const OWN_TARBALL = /^switchhook-\S+\.tgz$/
const SHOWN = 5

/** @throws SwitchhookError `options_invalid` if somebody's files are in the folder, or it is no folder. */
export function checkEmpty(folder: string): void {
  const found = inTheWay(folder)
  if (found.length === 0) return
  const names = found.slice(0, SHOWN).join(', ') + (found.length > SHOWN ? ', …' : '')
  throw optionsInvalid(
    `${folder} is not empty (${names}): name a new folder, or --force to write over files of the same name`,
  )
}

/** Characters that separate the parts of a URL or of PATH: tests and scripts do not run in a folder with one. */
const UNFIT = process.platform === 'win32' ? /[#?%]/ : /[#?%:\\]/

/**
 * @throws SwitchhookError `options_invalid` if a file is in the folder's place, or if scripts could not run under its
 * path.
 */
export function checkFolder(folder: string): void {
  const [unfit] = UNFIT.exec(process.platform === 'win32' ? folder.slice(2) : folder) ?? []
  if (unfit !== undefined)
    throw optionsInvalid(
      `${folder}: npm's scripts and vitest do not run in a folder with ${unfit} in its path; name another`,
    )
  let place = folder
  while (!existsSync(place) && dirname(place) !== place) place = dirname(place)
  if (!statSync(place).isDirectory()) throw optionsInvalid(`${folder} cannot be a folder: ${place} is a file`)
}

/**
 * Returns those of the project's files that exist already.
 *
 * @throws SwitchhookError `options_invalid` if one of them cannot be overwritten, since half a project would be left.
 */
export function checkFiles(folder: string, files: readonly string[]): string[] {
  const kindOf = (path: string) => statSync(path, { throwIfNoEntry: false })
  for (const file of files) {
    for (let above = dirname(file); above !== '.'; above = dirname(above))
      if (kindOf(join(folder, above))?.isDirectory() === false)
        throw stuck(join(folder, above), 'is no folder, and files go into it')
    const path = join(folder, file)
    if (kindOf(path)?.isDirectory()) throw stuck(path, 'is a folder, and a file goes there')
    if (isStuck(path)) throw stuck(path, 'cannot be written over')
  }
  if (existsSync(join(folder, MANIFEST)) && jsonIn(join(folder, MANIFEST)) === undefined)
    throw stuck(join(folder, MANIFEST), 'is no JSON object')
  return files.filter((file) => existsSync(join(folder, file)))
}

const MANIFEST = 'package.json'

/** Tells whether a path is a read-only file or a dangling link. */
function isStuck(path: string): boolean {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return false
  try {
    accessSync(path, constants.W_OK)
    return false
  } catch {
    return true
  }
}

function jsonIn(file: string): object | undefined {
  try {
    const json: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return isRecord(json) ? json : undefined
  } catch {
    return undefined
  }
}

function stuck(path: string, why: string): SwitchhookError {
  return optionsInvalid(`${path} ${why}: move it away`)
}

function inTheWay(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => !NOBODYS.includes(name) && !OWN_TARBALL.test(name))
    .filter((name) => name !== 'package.json' || !isBare(join(folder, name)))
    .sort()
}

/**
 * Whether a package.json is as `npm init` and installing this package leave it: no other dependency, no real script.
 */
function isBare(file: string): boolean {
  try {
    const { dependencies = {}, devDependencies = {}, scripts = {} } = JSON.parse(readFileSync(file, 'utf8'))
    const others = Object.keys({ ...dependencies, ...devDependencies }).filter((name) => !OURS.includes(name))
    const used = Object.entries(scripts).filter(([, script]) => !String(script).includes('no test specified'))
    return others.length === 0 && used.length === 0
  } catch {
    return false
  }
}

const OURS = ['switchhook', 'create-switchhook']
