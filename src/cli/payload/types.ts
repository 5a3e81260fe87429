import { parseBody, typesOf } from '../../payload/index.ts'
import { latestDeliveries } from '../../stores/sqlite/recorded-deliveries.ts'
import { type DatabaseFlag, databaseFile } from '../database.ts'
import { readOwn, writeOwn } from '../own-file.ts'

export interface TypesFlags extends DatabaseFlag {
  readonly out?: string
  readonly json?: boolean
}

/** How many deliveries the types are made of, and how many bytes of them at most. */
export const LATEST = { perEvent: 1_000, bytes: 67_108_864 } as const

/** `switchhook payload types`: writes types of what the app has received, to stdout or to a file of its own. */
export function writeTypes(flags: TypesFlags): void {
  const { out, json } = flags
  const file = databaseFile(flags)
  const types = typesIn(latestDeliveries(file, LATEST))
  if (types === undefined)
    throw new Error(
      `nothing is recorded in ${file}: let the app receive deliveries first; their bytes are kept for as long as its \`retention\` says`,
    )
  if (out !== undefined) {
    writeOwn(out, types, readOwn(out, types.split('\n', 1)[0] ?? ''))
    process.stderr.write(`The types are in ${out}: observed, not contract.\n`)
  }
  if (json) process.stdout.write(`${JSON.stringify({ types })}\n`)
  else if (out === undefined) process.stdout.write(types)
}

/** Undefined where none has a body that is a JSON object. */
function typesIn(deliveries: readonly { event: string; body: Uint8Array }[]): string | undefined {
  const samples = deliveries.flatMap(({ event, body }) => {
    const parsed = parseBody(body)
    return 'json' in parsed ? [{ event, json: parsed.json }] : []
  })
  return samples.length === 0 ? undefined : typesOf(samples)
}
