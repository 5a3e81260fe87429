import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { reasonOf } from '../../base/errors.ts'
import { isRecord } from '../../base/value.ts'

/** Where what belongs to development stands: never in the repository. */
export const FOLDER = '.switchhook'

/** What the running emulator leaves for the other commands. */
export const DEV_FILE = `${FOLDER}/dev.json`

export interface Note {
  readonly url: string
  readonly controlToken: string
  /** The process behind it. */
  readonly pid: number
  /** Where deliveries go. */
  readonly webhook: string
  /** Those of emulators that ran here when this one came, the latest first: they are found again when it has ended. */
  readonly earlier?: readonly Note[]
}

/** The note of this folder; `stale` where there is one whose process has ended. */
export function readNote(): { note?: Note; stale?: boolean } {
  const note = parseNote()
  if (note === undefined) return {}
  return isAlive(note.pid) ? { note } : { stale: true }
}

/**
 * Leaves a note for the other commands until it is disposed of. Where none can be left, `tell` is told, and the
 * emulator runs all the same.
 */
export function leaveNote({ url, controlToken, webhook }: Omit<Note, 'pid'>, tell: (line: string) => void): Disposable {
  const earlier = livingNotes(parseNote())
  try {
    makeFolder()
    write(withEarlier(earlier, { url, controlToken, pid: process.pid, webhook }))
  } catch (error) {
    tell(`${DEV_FILE} cannot be written, so other commands need --emulator and --control-token: ${reasonOf(error)}`)
  }
  const remove = () => {
    // A later emulator may have left its own; an earlier one may still run, and is found again.
    if (parseNote()?.pid !== process.pid) return
    const [last, ...before] = earlier.filter(({ pid }) => isAlive(pid))
    if (last) write(withEarlier(before, last))
    else rmSync(DEV_FILE, { force: true })
  }
  process.once('exit', remove)
  return {
    [Symbol.dispose]() {
      remove()
      process.off('exit', remove)
    },
  }
}

function withEarlier(earlier: readonly Note[], note: Note): Note {
  return earlier.length > 0 ? { ...note, earlier } : note
}

/** A note and the earlier ones that it carries; one of our own number is of a process that had it before us. */
function livingNotes(note: Note | undefined): readonly Note[] {
  if (note === undefined) return []
  const { earlier = [], ...last } = note
  return [last, ...earlier].filter(({ pid }) => pid !== process.pid && isAlive(pid))
}

/** Renamed into its place, so that nobody reads half of it, and it is never readable to others. */
function write(note: Note): void {
  const draft = join(FOLDER, `dev.${process.pid}.json`)
  writeFileSync(draft, `${JSON.stringify(note, null, 2)}\n`, { mode: 0o600 })
  renameSync(draft, DEV_FILE)
}

/** Makes the folder, and keeps it out of the repository. */
export function makeFolder(): void {
  mkdirSync(FOLDER, { recursive: true })
  try {
    writeFileSync(join(FOLDER, '.gitignore'), '*\n', { flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

function parseNote(): Note | undefined {
  try {
    return toNote(JSON.parse(readFileSync(DEV_FILE, 'utf8')))
  } catch {
    // None there, or none that can be read: then it names nothing.
    return undefined
  }
}

function toNote(json: unknown): Note | undefined {
  if (!isRecord(json)) return undefined
  const { url, controlToken, pid, webhook, earlier } = json
  const isNote = [url, controlToken, webhook].every((one) => typeof one === 'string') && Number.isSafeInteger(pid)
  if (!isNote) return undefined
  const before = Array.isArray(earlier) ? earlier.map(toNote).filter((note) => note !== undefined) : []
  return withEarlier(before, { url, controlToken, pid, webhook } as Note)
}

/** Whether a process of this number runs. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // A process of somebody else is one too.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
