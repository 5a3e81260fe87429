/** One thing that happened on the disk. Files are known by number, since names come and go. */
export type Entry =
  | { readonly as: 'created'; readonly file: bigint; readonly name: string }
  | { readonly as: 'written'; readonly file: bigint; readonly at: number; readonly bytes: Buffer }
  | { readonly as: 'cut'; readonly file: bigint; readonly at: number }
  | { readonly as: 'synced' | 'dropped'; readonly file: bigint }
  | { readonly as: 'folderSynced' | 'folderDropped' }
  | { readonly as: 'removed'; readonly name: string }
  | { readonly as: 'renamed'; readonly name: string; readonly to: string }
  /** A delivery was acknowledged. */
  | { readonly as: 'acknowledged'; readonly id: string }

const HEAD = 24

/** Reads the log that `disk.c` writes, among whose entries `acknowledgement` puts its own. */
export function readLog(log: Buffer): Entry[] {
  const entries: Entry[] = []
  for (let at = 0; at + HEAD <= log.length; ) {
    const nameLength = log.readUInt16LE(at + 2)
    const end = at + HEAD + nameLength + log.readUInt32LE(at + 4)
    const name = log.toString('utf8', at + HEAD, at + HEAD + nameLength)
    const bytes = log.subarray(at + HEAD + nameLength, end)
    const file = log.readBigUInt64LE(at + 8)
    entries.push(
      entryOf(String.fromCharCode(log[at] ?? 0), { file, at: Number(log.readBigUInt64LE(at + 16)), name, bytes }),
    )
    at = end
  }
  return entries
}

interface Raw {
  readonly file: bigint
  readonly at: number
  readonly name: string
  readonly bytes: Buffer
}

function entryOf(type: string, { file, at, name, bytes }: Raw): Entry {
  switch (type) {
    case 'C':
      return { as: 'created', file, name }
    case 'W':
      return { as: 'written', file, at, bytes }
    case 'T':
      return { as: 'cut', file, at }
    case 'S':
      return { as: 'synced', file }
    case 'F':
      return { as: 'dropped', file }
    case 'd':
      return { as: 'folderSynced' }
    case 'f':
      return { as: 'folderDropped' }
    case 'U':
      return { as: 'removed', name }
    case 'R':
      return { as: 'renamed', name, to: bytes.toString() }
    case 'A':
      return { as: 'acknowledged', id: bytes.toString() }
    default:
      throw new Error(`the disk's log has an entry of unknown type ${JSON.stringify(type)}`)
  }
}

/** The entry that a delivery was acknowledged. The process that answers appends it to the log. */
export function acknowledgement(id: string): Buffer {
  const bytes = Buffer.from(id)
  const head = Buffer.alloc(HEAD)
  head.write('A')
  head.writeUInt32LE(bytes.length, 4)
  return Buffer.concat([head, bytes])
}
