import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { openSqlite } from '../../stores/sqlite/index.ts'
import { environment } from '../environment.ts'

interface ResumeFlags {
  readonly database?: string
  readonly number?: string
  readonly json?: boolean
}

const EXAMPLE = '\nExample:\n  $ switchhook outbox resume --number retail\n'

/** `switchhook outbox …`: what an operator does about sends; the app may be running. */
export function addOutbox(program: Command): void {
  program
    .command('outbox')
    .description("look after the sends in the app's database")
    .addHelpText('after', EXAMPLE)
    .command('resume')
    .description('let sends go out that are held because the database was brought back from a backup')
    .option('--database <file>', "the app's database (env: SWITCHHOOK_DATABASE; default: ./switchhook.db)")
    .option('--number <name>', 'those of this number alone')
    .option('--json', 'one line of JSON on stdout: {"resumed": 3}')
    .addHelpText('after', EXAMPLE)
    .action(resume)
}

async function resume({ database, number, json }: ResumeFlags): Promise<void> {
  const file = database ?? environment('SWITCHHOOK_DATABASE') ?? './switchhook.db'
  if (!existsSync(file))
    throw new Error(`there is no database at ${file}: name the app's own, or run the command in the app's folder`)
  const store = openSqlite(file)
  try {
    const resumed = await store.resumeSends({ now: Date.now(), ...(number !== undefined && { number }) })
    if (json) process.stdout.write(`${JSON.stringify({ resumed })}\n`)
    else
      process.stderr.write(`${resumed} held ${resumed === 1 ? 'send goes' : 'sends go'} out now, once the app runs.\n`)
  } finally {
    await store.close()
  }
}
