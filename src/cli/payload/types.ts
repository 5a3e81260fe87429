import { parseBody, typesOf } from '../../payload/index.ts'
import { latestDeliveries } from '../../stores/sqlite/reader.ts'
import { databaseFile, type DatabaseFlag } from '../support/database.ts'
import { readGenerated, writeGenerated } from '../support/files.ts'
import type { Io } from '../support/io.ts'

interface TypesFlags extends DatabaseFlag {
  readonly out?: string
  readonly json?: boolean
}

/** The most deliveries of each event, and the most bytes in all, from which types are inferred. */
export const LATEST = { perEvent: 1_000, bytes: 67_108_864 } as const

/** Writes types inferred from the deliveries that the app has received, to stdout or to a file. */
export function writeTypes(io: Io, flags: TypesFlags): void {
  const { out, json } = flags
  const file = databaseFile(io, flags)
  const types = typesIn(latestDeliveries(file, LATEST))
  if (types === undefined)
    throw new Error(
      `nothing is recorded in ${file}: let the app receive deliveries first; their bytes are kept for as long as its \`retention\` says`,
    )
  if (out !== undefined) {
    writeGenerated(out, types, readGenerated(out, types.split('\n', 1)[0] ?? ''))
    io.err(`The types are in ${out}: observed, not contract.`)
  }
  if (json) io.out(JSON.stringify({ types }))
  else if (out === undefined) io.stdout.write(types)
}

/** Undefined if no delivery's body is a JSON object. */
function typesIn(deliveries: readonly { event: string; body: Uint8Array }[]): string | undefined {
  const samples = deliveries.flatMap(({ event, body }) => {
    const parsed = parseBody(body)
    return 'json' in parsed ? [{ event, json: parsed.json }] : []
  })
  return samples.length === 0 ? undefined : typesOf(samples)
}
