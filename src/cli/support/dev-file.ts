import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { reasonOf } from '../../base/errors.ts'
import { isRecord } from '../../base/value.ts'

/** The folder for files of development, kept out of the repository. */
export const FOLDER = '.switchhook'

/** The file in which the running emulator tells other commands how to reach it. */
export const DEV_FILE = `${FOLDER}/dev.json`

interface Note {
  readonly url: string
  readonly controlToken: string
  readonly pid: number
  /** The address that deliveries go to. */
  readonly webhook: string
  /** Notes of emulators that were running here before this one, latest first: restored when this one ends. */
  readonly earlier?: readonly Note[]
}

/** Reads this folder's note; `stale` if its process has ended. */
export function readNote(): { note?: Note; stale?: boolean } {
  const note = parseNote()
  if (note === undefined) return {}
  return isAlive(note.pid) ? { note } : { stale: true }
}

/**
 * Leaves a note for other commands until it is disposed of. If it cannot be written, `print` is called and the emulator
 * runs without.
 */
export function leaveNote(
  { url, controlToken, webhook }: Omit<Note, 'pid'>,
  print: (line: string) => void,
): Disposable {
  const earlier = livingNotes(parseNote())
  try {
    makeFolder()
    write(withEarlier(earlier, { url, controlToken, pid: process.pid, webhook }))
  } catch (error) {
    print(`${DEV_FILE} cannot be written, so other commands need --emulator and --control-token: ${reasonOf(error)}`)
  }
  const remove = () => {
    // A later emulator may have left its own note. An earlier one that still runs gets its note back.
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

/**
 * A note and its earlier ones, as far as their processes live. A note with our own pid is of a dead process that had
 * it.
 */
function livingNotes(note: Note | undefined): readonly Note[] {
  if (note === undefined) return []
  const { earlier = [], ...last } = note
  return [last, ...earlier].filter(({ pid }) => pid !== process.pid && isAlive(pid))
}

/** Writes and renames, so that nobody reads half a note; only the owner may read it. */
function write(note: Note): void {
  const draft = join(FOLDER, `dev.${process.pid}.json`)
  writeFileSync(draft, `${JSON.stringify(note, null, 2)}\n`, { mode: 0o600 })
  renameSync(draft, DEV_FILE)
}

/** Creates the folder and keeps it out of the repository. */
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
    // A note that is missing or unreadable names no emulator.
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

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: the process runs under another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
