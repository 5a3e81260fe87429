import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Entry } from './log.ts'

/** Bytes that are written at once or not at all. */
const SECTOR = 512

/** A number from 0 to 1, like Math.random's. */
export type Chance = () => number

interface Change {
  readonly at: number
  /** Undefined for a cut. */
  readonly bytes: Buffer | undefined
}

interface File {
  certain: Buffer
  /** Written and not synced: at a power cut each sector of these may be on the disk or not. */
  pending: Change[]
}

interface Rename {
  readonly name: string
  readonly file: File | undefined
}

/**
 * The disk beneath the page cache: which bytes are on it for certain, and which may be. Names that were given or taken
 * reach it in their order, and for certain once their folder was synced.
 */
export function createPlatter() {
  /** By number; the file system may give the number of a file that is gone to a new one. */
  const files = new Map<bigint, File>()
  const certainNames = new Map<string, File>()
  /** The names as the machine sees them while it has power. */
  const names = new Map<string, File>()
  let pendingNames: Rename[] = []

  function rename(name: string, file: File | undefined): void {
    apply(names, { name, file })
    pendingNames.push({ name, file })
  }

  return {
    take(entry: Entry): void {
      const file = 'file' in entry ? files.get(entry.file) : undefined
      switch (entry.as) {
        case 'created': {
          const made: File = { certain: Buffer.alloc(0), pending: [] }
          files.set(entry.file, made)
          return rename(entry.name, made)
        }
        case 'written':
          return void file?.pending.push({ at: entry.at, bytes: entry.bytes })
        case 'cut':
          return void file?.pending.push({ at: entry.at, bytes: undefined })
        case 'synced':
          if (file) file.certain = changed(file.certain, file.pending)
          if (file) file.pending = []
          return
        case 'dropped':
          if (file) file.pending = []
          return
        case 'folderSynced':
          for (const change of pendingNames) apply(certainNames, change)
          pendingNames = []
          return
        case 'removed':
          return rename(entry.name, undefined)
        case 'renamed': {
          const moved = names.get(entry.name)
          rename(entry.name, undefined)
          return rename(entry.to, moved)
        }
      }
    },

    /** Cuts the power: writes into a folder what a disk could have kept. */
    cut(folder: string, chance: Chance): void {
      const kept = new Map(certainNames)
      for (const change of pendingNames.slice(0, Math.floor(chance() * (pendingNames.length + 1)))) apply(kept, change)
      for (const [name, { certain, pending }] of kept)
        writeFileSync(join(folder, name), changed(certain, survivors(pending, chance)), { mode: 0o600 })
    },
  }
}

function apply(names: Map<string, File>, { name, file }: Rename): void {
  if (file) names.set(name, file)
  else names.delete(name)
}

/** Of what was not synced, some sectors: mostly few or many of them, and sometimes the first ones alone. */
function survivors(pending: readonly Change[], chance: Chance): Change[] {
  const share = [0, 0.1, 0.5, 0.9, 1][Math.floor(chance() * 5)] ?? 0
  const inOrder = chance() < 0.3
  const until = Math.floor(pending.length * share)
  return pending.flatMap((change, index) => {
    if (inOrder) return index < until ? [change] : []
    return sectors(change).filter(() => chance() < share)
  })
}

function sectors({ at, bytes }: Change): Change[] {
  if (!bytes) return [{ at, bytes }]
  const parts: Change[] = []
  for (let from = 0; from < bytes.length; ) {
    const to = Math.min(bytes.length, from + SECTOR - ((at + from) % SECTOR))
    parts.push({ at: at + from, bytes: bytes.subarray(from, to) })
    from = to
  }
  return parts
}

function changed(bytes: Buffer, changes: readonly Change[]): Buffer {
  let length = bytes.length
  let most = length
  for (const change of changes) most = Math.max(most, change.at + (change.bytes?.length ?? 0))
  const result = Buffer.alloc(most)
  bytes.copy(result)
  for (const { at, bytes: written } of changes) {
    if (written) {
      written.copy(result, at)
      length = Math.max(length, at + written.length)
    } else {
      if (at < length) result.fill(0, at, length)
      length = at
    }
  }
  return result.subarray(0, length)
}
