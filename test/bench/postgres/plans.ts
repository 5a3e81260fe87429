/** The plans of all statements that a bot makes over large tables: none may read a whole table. */
import { createBot } from 'switchhook'
import { createEmulator } from 'switchhook/emulator'
import { serve } from 'switchhook/node'
import { freePort } from '../../support/free-port.ts'
import { startPostgres } from '../../support/own-postgres.ts'
import { readPostgres } from '../../support/read-postgres.ts'
import { MESSAGES_OF_A_CUSTOMER, SETTINGS } from './compare.ts'
import { fill } from './fill.ts'

const LARGE = /Seq Scan on (contents|deliveries|items|lanes|sends)\b/
const MESSAGES = 300

export async function plans(rows: number): Promise<void> {
  await using server = await startPostgres([...SETTINGS, 'session_preload_libraries=auto_explain'])
  await readPostgres(server.url, 'CREATE DATABASE many TEMPLATE template0')
  const database = Object.assign(new URL(server.url), { pathname: '/many' }).href
  await converse(database, 1)
  await fill(database, { rows, customers: Math.ceil(rows / MESSAGES_OF_A_CUSTOMER), wait: false })
  await readPostgres(server.url, 'ALTER DATABASE many SET auto_explain.log_min_duration = 0')
  await converse(database, MESSAGES)

  const told = server.log.join('').split(/\n(?=\d{4}-\d\d-\d\d )/)
  const explained = told.filter((entry) => entry.includes(' plan:'))
  const statements = Map.groupBy(
    explained,
    // Times and ids within a text make no other statement of it.
    (entry) => (/Query Text: ([\s\S]*?)\n\t\w[^\n]*\(cost=/.exec(entry)?.[1] ?? entry).replaceAll(/\d+/g, '…'),
  )
  const slow = [...statements.values()].flatMap((entries) => entries.find((entry) => LARGE.test(entry)) ?? [])
  for (const entry of slow) console.log(entry.slice(0, 4_000), '\n')
  console.log(
    `${explained.length} plans of ${statements.size} statements, of which ${slow.length} read a whole large table`,
  )
  if (slow.length > 0) process.exitCode = 1
}

/** A customer writes, the bot answers, and statuses tell of it; so many times. */
async function converse(database: string, messages: number): Promise<void> {
  const port = await freePort()
  await using emulator = await createEmulator({ webhook: `http://127.0.0.1:${port}/webhooks/messages` })
  const { url: baseUrl, accessToken, signingSecret } = emulator
  const bot = createBot({ database, baseUrl, accessToken, signingSecret, logger: false })
  let answered = 0
  const done = Promise.withResolvers<void>()
  bot.otherwise(async (ctx) => {
    await ctx.reply('Thank you.')
    if (++answered === messages) done.resolve()
  })
  await serve(bot, { port })
  for (let one = 0; one < messages; one++) await emulator.customer(String(255_713_000_000 + one)).says('hello')
  await done.promise
  await bot.stop()
}
