import type { Command } from 'commander'
import { DATABASE } from '../database.ts'
import { example } from '../example.ts'
import { LATEST, writeTypes } from '../payload/types.ts'

/** `switchhook payload …`: what recorded deliveries tell of the payloads that nobody documents. */
export function addPayload(program: Command): void {
  program
    .command('payload')
    .description('learn from the deliveries that the app has received')
    .addHelpText('after', EXAMPLE)
    .command('types')
    .description(`write TypeScript types of the payloads received: the latest ${LATEST.perEvent} of each event`)
    .option(...DATABASE)
    .option('--out <file>', 'where the types go, in place of those written before (default: stdout)')
    .option('--json', 'one line of JSON on stdout: {"types": "…"}')
    .addHelpText('after', EXAMPLE)
    .action(writeTypes)
}

const EXAMPLE = example('switchhook payload types --out src/payloads.d.ts')
