import { existsSync, readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { type LockedShape, LOCK_FILE, parseBody, parseLock, typesOf } from '../../payload/index.ts'
import { example } from '../support/arguments.ts'
import {
  DATABASE_OPTION,
  databaseOf,
  type DatabaseFlags,
  isThere,
  nothingRecorded,
  withReader,
} from '../support/database.ts'
import { readGenerated, writeGenerated } from '../support/files.ts'
import { environment, type Io } from '../support/io.ts'

export function addTypes(payload: Command, io: Io): void {
  payload
    .command('types')
    .description(
      `write TypeScript types of the payloads received: the latest ${LATEST.perEvent} of each event, and the locked shapes`,
    )
    .option(...DATABASE_OPTION)
    .option('--lock <file>', `the lock (env: SWITCHHOOK_PAYLOAD_LOCK; default: ./${LOCK_FILE}, if it is there)`)
    .option('--out <file>', 'the file for the types, over earlier ones (default: stdout)')
    .option('--json', 'one line of JSON on stdout: {"types": "…"}')
    .addHelpText('after', example('switchhook payload types --out src/payloads.d.ts'))
    .action((flags) => writeTypes(io, flags))
}

interface TypesFlags extends DatabaseFlags {
  readonly lock?: string
  readonly out?: string
}

/** The most deliveries of each event, and the most bytes in all, from which types are inferred. */
export const LATEST = { perEvent: 1_000, bytes: 67_108_864 } as const

/** Writes types inferred from the deliveries that the app has received, to stdout or to a file. */
async function writeTypes(io: Io, flags: TypesFlags): Promise<void> {
  const { out, json } = flags
  const locked = lockedShapes(flags.lock ?? environment(io, 'SWITCHHOOK_PAYLOAD_LOCK'))
  // A lock says enough where no app has run, such as in CI.
  const samples = locked.length > 0 && !isThere(databaseOf(io, flags)) ? [] : await samplesFrom(io, flags)
  if (samples.length + locked.length === 0) throw nothingRecorded(io, flags)
  const types = typesOf(samples, locked)
  if (out !== undefined) {
    writeGenerated(out, types, readGenerated(out, types.split('\n', 1)[0] ?? ''))
    io.err(`The types are in ${out}: observed, not contract.`)
  }
  if (json) io.out(JSON.stringify({ types }))
  else if (out === undefined) io.stdout.write(types)
}

/** The deliveries whose bodies are JSON objects. */
async function samplesFrom(io: Io, flags: TypesFlags) {
  const latest = await withReader(io, flags, (reader) => reader.latestDeliveries(LATEST))
  return latest.flatMap(({ event, body }) => {
    const parsed = parseBody(body)
    return 'json' in parsed ? [{ event, json: parsed.json }] : []
  })
}

function lockedShapes(named: string | undefined): LockedShape[] {
  const file = named ?? LOCK_FILE
  if (named === undefined && !existsSync(file)) return []
  const { events } = parseLock(readFileSync(file, 'utf8'), file)
  return Object.entries(events).flatMap(([event, { shapes }]) =>
    Object.values(shapes).map((places) => ({ event, places })),
  )
}
