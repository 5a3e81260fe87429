import type { Command } from 'commander'
import { example } from '../support/arguments.ts'
import { DATABASE_OPTION } from '../support/database.ts'
import type { Io } from '../support/io.ts'
import { addExport } from './export.ts'
import { addLock } from './lock.ts'
import { addReport } from './report.ts'
import { LATEST, writeTypes } from './types.ts'

/** Declares `switchhook payload …`. */
export function addPayload(program: Command, io: Io): void {
  const payload = program
    .command('payload')
    .description('learn from the deliveries that the app has received')
    .addHelpText('after', EXAMPLE)
  addReport(payload, io)
  addTypes(payload, io)
  addExport(payload, io)
  addLock(payload, io)
}

const EXAMPLE = example('switchhook payload types --out src/payloads.d.ts')

function addTypes(payload: Command, io: Io): void {
  payload
    .command('types')
    .description(`write TypeScript types of the payloads received: the latest ${LATEST.perEvent} of each event`)
    .option(...DATABASE_OPTION)
    .option('--out <file>', 'the file for the types, over earlier ones (default: stdout)')
    .option('--json', 'one line of JSON on stdout: {"types": "…"}')
    .addHelpText('after', EXAMPLE)
    .action((flags) => writeTypes(io, flags))
}
