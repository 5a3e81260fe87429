import { existsSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import type { Command } from 'commander'
import { optionsInvalid } from '../../base/errors.ts'
import { LEASE_MS } from '../../store/work/lanes.ts'
import { isPostgres, shownDatabase } from '../../store/postgres/address.ts'
import { copyInto } from '../../store/postgres/copy-target.ts'
import { openCopySource } from '../../store/sqlite/copy-source.ts'
import { keyFrom } from '../../client/client.ts'
import { argentina, brazil, mexico, sameCustomerBy, type SameCustomerRule } from '../../bot/same-customer.ts'
import { erasing } from '../../store/maintenance/maintenance.ts'
import { collect, example } from './support/arguments.ts'
import { DATABASE_OPTION, type DatabaseFlags, withStore } from './support/open-database.ts'
import { RefusedForSafety } from './support/exit.ts'
import { environment, type Io, pathOf } from './support/io.ts'
import { printResult } from './support/output.ts'
import { InUse } from '../../store/database/schema.ts'

interface CopyFlags {
  readonly from: string
  readonly to: string
  readonly json?: boolean
}

async function copy(io: Io, flags: CopyFlags): Promise<void> {
  const { from, to } = flags
  if (!isPostgres(to)) throw optionsInvalid('--to: expected an address, postgres://…')
  if (isPostgres(from)) throw optionsInvalid('--from: expected an SQLite file')
  try {
    const source = openCopySource(pathOf(io, from))
    try {
      const copying = (table: string) => io.err(`Copying ${table}.`)
      const schemaOwner = environment(io, 'SWITCHHOOK_SCHEMA_OWNER')
      const tables = await copyInto(to, source.tables, { copying, beforeCommit: source.retire, schemaOwner })
      const copied = Object.values(tables).reduce((sum, rows) => sum + rows, 0)
      printResult(
        io,
        flags,
        { copied, tables },
        `Copied ${copied} rows.`,
        `Start the app with SWITCHHOOK_DATABASE=${shownDatabase(to)}, with the app's own database user.`,
        `${from} is unchanged, so you can go back to it. An app that opens it again starts with its sends held.`,
      )
    } finally {
      source.close()
    }
  } catch (error) {
    throw error instanceof InUse ? new RefusedForSafety(error.message) : error
  }
}

/** The built-in rules for a bot's option `sameCustomer`. */
const RULES: Readonly<Record<string, SameCustomerRule | undefined>> = { brazil, mexico, argentina, none: undefined }

async function ruleIn(io: Io, names: readonly string[]): Promise<SameCustomerRule | undefined> {
  const rules: SameCustomerRule[] = []
  for (const name of names) {
    const rule = Object.hasOwn(RULES, name) ? RULES[name] : await ruleOf(pathOf(io, name))
    if (rule) rules.push(rule)
  }
  return rules.length === 0 ? undefined : (digits) => rules.reduce((made, rule) => rule(made), digits)
}

async function ruleOf(file: string): Promise<SameCustomerRule> {
  if (!existsSync(file))
    throw optionsInvalid(`--rule: expected ${Object.keys(RULES).join(', ')}, or a file; ${file} does not exist`)
  const { sameCustomer, default: only } = (await import(pathToFileURL(file).href)) as Record<string, unknown>
  const rule = sameCustomer ?? only
  if (typeof rule === 'function') return rule as SameCustomerRule
  throw optionsInvalid(`--rule: ${file} exports no function named sameCustomer`)
}

interface RecustomerFlags extends DatabaseFlags {
  readonly rule: readonly string[]
}

async function recustomer(io: Io, flags: RecustomerFlags): Promise<void> {
  const { of, digest } = sameCustomerBy(await ruleIn(io, flags.rule))
  const moved = await withStore(io, flags, async (store) => {
    for await (const _ of erasing(store));
    const lease = { processName: 'recustomer', leaseMs: LEASE_MS, now: store.clock() }
    return store.recustomer({ ...lease, of, keyOf: keyFrom }, digest)
  })
  if (typeof moved === 'string') throw new RefusedForSafety(moved)
  printResult(io, flags, { moved }, `Moved ${moved} rows. Start the app with the option sameCustomer of this rule.`)
}

export function addCommand(database: Command, io: Io): void {
  database
    .description("move the app's database, or its customers; the app must be stopped")
    .addHelpText('after', example('switchhook database copy --to postgres://bot@db.example/bot'))
  database
    .command('copy')
    .description('copy an SQLite file into PostgreSQL, in one transaction')
    .option('--from <file>', "the stopped app's file", './switchhook.db')
    .requiredOption('--to <address>', 'postgres://…, a database that no bot has used yet')
    .option('--json', 'one line of JSON on stdout: {"copied":…,"tables":{…}}')
    .addHelpText('after', example('switchhook database copy --from ./switchhook.db --to postgres://bot@db.example/bot'))
    .action((flags) => copy(io, flags))
  database
    .command('recustomer')
    .description('move what is stored to another rule for spellings of a number, the option sameCustomer')
    .requiredOption(
      '--rule <name>',
      'brazil, mexico, argentina, none, or a file that exports the function sameCustomer; repeat it for several',
      collect,
    )
    .option(...DATABASE_OPTION)
    .option('--json', 'one line of JSON on stdout: {"moved":…}')
    .addHelpText('after', example('switchhook database recustomer --rule brazil'))
    .action((flags) => recustomer(io, flags))
}
