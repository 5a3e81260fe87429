import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Entry, readLog } from './log.ts'

/** The next failures of a disk. Failures that are not named stay as ordered. */
export interface Failures {
  /** How many syncs of files and folders fail, one after another. What they were to sync is dropped, as Linux does. */
  readonly fsyncs?: number
  /** How many syncs go well before those that fail. */
  readonly spared?: number
  /** How many writes fail, one after another. */
  readonly writes?: number
  /** With which error; EIO by default. */
  readonly error?: 'EIO' | 'ENOSPC'
  /** A failed sync brings the old bytes back, as Btrfs does; else the new ones are still read, as on ext4 and XFS. */
  readonly reverts?: boolean
}

/** A folder on a disk that fails on purpose. */
export interface Disk {
  /** Only its own files are watched, not those of folders within. */
  readonly folder: string
  /** For a process that works on the disk. */
  readonly env: Readonly<Record<string, string>>
  fail(failures: Failures): void
  /** All that happened on the disk, in its order. */
  log(): Entry[]
  remove(): void
}

/** Stands between a process and its disk. */
export interface Library {
  readonly file: string
  remove(): void
}

/** Places of the numbers in the control file, as `disk.c` has them. */
const CONTROL = ['fsyncs', 'writes', 'error', 'reverts', 'spared'] as const

/** Builds the library of one or more disks; undefined where that is not possible, and then it is said. */
export function buildLibrary(): Library | undefined {
  if (process.platform !== 'linux') return missing('it needs Linux')
  // Not in the repository, whose path may have a space: a preloaded library must have none in its path.
  const place = mkdtempSync(join(tmpdir(), 'switchhook-disk-library-'))
  const remove = () => rmSync(place, { recursive: true, force: true })
  const file = join(place, 'disk.so')
  const source = join(import.meta.dirname, 'disk.c')
  const built = spawnSync('cc', ['-O2', '-Wall', '-shared', '-fPIC', '-o', file, source, '-ldl', '-lpthread'])
  if (built.status === 0) return { file, remove }
  remove()
  return missing(`cc: ${built.error?.message ?? built.stderr.toString()}`)
}

function missing(why: string): undefined {
  process.stderr.write(`NO DISK THAT FAILS: its tests are skipped, since its library cannot be built: ${why}\n`)
}

/** Makes an empty disk. */
export function createDisk(library: Library): Disk {
  const place = mkdtempSync(join(tmpdir(), 'switchhook-disk-'))
  const [folder, log, control] = ['disk', 'log', 'control'].map((name) => join(place, name)) as [string, string, string]
  mkdirSync(folder)
  writeFileSync(log, '')
  writeFileSync(control, Buffer.alloc(4 * CONTROL.length))
  return {
    folder,
    env: { LD_PRELOAD: library.file, DISK_FOLDER: folder, DISK_LOG: log, DISK_CONTROL: control },
    fail: (failures) => order(control, failures),
    log: () => readLog(readFileSync(log)),
    remove: () => rmSync(place, { recursive: true, force: true }),
  }
}

/** Orders failures, also from within the process that works on the disk. */
export function order(control: string, failures: Failures): void {
  const handle = openSync(control, 'r+')
  for (const [place, name] of CONTROL.entries()) {
    const ordered = failures[name]
    if (ordered === undefined) continue
    const number = typeof ordered === 'string' ? constants.errno[ordered] : Number(ordered)
    writeSync(handle, Int32Array.of(number), 0, 4, 4 * place)
  }
}
