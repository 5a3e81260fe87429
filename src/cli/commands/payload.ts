import type { Command } from 'commander'
import { parseBody, typesOf } from '../../payload/index.ts'
import { openToRead } from '../../stores/sqlite/open-to-read.ts'
import { recorded } from '../../stores/sqlite/recorded.ts'
import { environment } from '../environment.ts'
import { readOwn, writeOwn } from '../own-file.ts'

const LATEST = { perEvent: 1_000, bytes: 67_108_864 }

interface TypesFlags {
  readonly database?: string
  readonly out?: string
  readonly json?: boolean
}

/** `switchhook payload …`: what recorded deliveries tell of the payloads that nobody documents. */
export function addPayload(program: Command): void {
  program
    .command('payload')
    .description('learn from the deliveries that the app has received')
    .addHelpText('after', EXAMPLE)
    .command('types')
    .description(`write TypeScript types of the payloads received: the latest ${LATEST.perEvent} of each event`)
    .option('--database <file>', "the app's database, only read (env: SWITCHHOOK_DATABASE; default: ./switchhook.db)")
    .option('--out <file>', 'where the types go, in place of those written before (default: stdout)')
    .option('--json', 'one line of JSON on stdout: {"types": "…"}')
    .addHelpText('after', EXAMPLE)
    .action(writeTypes)
}

const EXAMPLE = '\nExample:\n  $ switchhook payload types --out src/payloads.d.ts\n'

function writeTypes({ database, out, json }: TypesFlags): void {
  const file = database ?? environment('SWITCHHOOK_DATABASE') ?? './switchhook.db'
  openToRead(file).close()
  const types = typesIn(recorded(file, LATEST))
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
function typesIn(deliveries: Iterable<{ event: string; body: Uint8Array }>): string | undefined {
  const samples = [...deliveries].flatMap(({ event, body }) => {
    const parsed = parseBody(body)
    return 'json' in parsed ? [{ event, json: parsed.json }] : []
  })
  return samples.length === 0 ? undefined : typesOf(samples)
}
