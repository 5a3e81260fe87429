import { expect, it } from 'vitest'
import type { Bot, Sender } from '../../src/bot/bot.ts'
import { openConnection } from '../../src/store/sqlite/connection.ts'
import { MIGRATIONS } from '../../src/store/database/schema.ts'
import { openPostgres } from '../../src/store/postgres/postgres-store.ts'
import { isPostgres } from '../support/world-database.ts'
import { ASHA, JUMA, openWorld } from '../support/world.ts'

/** A world over a file, or over PostgreSQL in that part of the suite, and the version of its schema. */
async function open(routes: (bot: Bot & Sender) => void) {
  if (!isPostgres) {
    const world = await openWorld(routes)
    const setSchema = async (version: number) => {
      const other = openConnection(world.database)
      other.raw.pragma(`user_version = ${version}`)
      other.close()
    }
    return { world, setSchema }
  }
  const { url, read } = await (await import('../store/postgres-backend.ts')).makeDatabase()
  const world = await openWorld(routes, { internals: { open: () => openPostgres(url) } })
  const setSchema = async (version: number) => {
    await read("UPDATE meta SET value = $1 WHERE name = 'schema_number'", [version])
  }
  return { world, setSchema }
}

const release = (version: number) => (bot: Bot & Sender) =>
  void bot.otherwise((ctx) => ctx.reply(`${ctx.message.text} by release ${version}`))

const said = (replies: readonly (string | null)[]) => replies.map((text) => text?.replace(/ by release \d$/, ''))

it('a deploy that starts the new process before the old one stops answers each message once and in order [R DEL-01, R DEL-03]', async () => {
  const { world: opened } = await open(release(1))
  await using world = opened
  const texts = Array.from({ length: 6 }, (_, index) => `message ${index}`)
  const writing = Promise.all(
    [ASHA, JUMA].map(async (customer) => {
      for (const text of texts) await world.emulator.customer(customer).says(text)
    }),
  )
  await world.until(async () => (await world.replies()).length > 2)
  await world.roll(release(2))
  await writing
  for (const customer of [ASHA, JUMA]) {
    await world.until(async () => (await world.replies(customer)).length === texts.length)
    expect(said(await world.replies(customer))).toEqual(texts)
  }
})

it('a deploy that migrates makes the old process only store deliveries, and the new one answers them [R DEL-01, F-57]', async () => {
  const { world: opened, setSchema } = await open(release(1))
  await using world = opened
  await world.emulator.customer(ASHA).says('before')
  await world.until(async () => (await world.replies()).length === 1)
  await setSchema(MIGRATIONS.length + 1)
  for (const text of ['during', 'during it too']) await world.emulator.customer(ASHA).says(text)
  const told = () => world.lines.filter(({ message }) => message?.includes('a newer release has migrated'))
  await world.until(() => told().length > 0)
  const deliveries = () => world.emulator.deliveries.list() as Promise<readonly { readonly state: string }[]>
  await world.until(async () => (await deliveries()).filter(({ state }) => state === 'delivered').length >= 3)
  expect(await world.replies()).toEqual(['before by release 1'])
  // The release that comes knows the schema.
  await world.bot.stop()
  await setSchema(MIGRATIONS.length)
  await world.restart(release(2))
  await world.until(async () => (await world.replies()).length === 3)
  expect(await world.replies()).toEqual(['before by release 1', 'during by release 2', 'during it too by release 2'])
})
