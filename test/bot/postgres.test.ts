import { Client } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import type { Bot, Sender } from '../../src/bot/bot.ts'
import { makeDatabase, ownPool } from '../store/postgres-backend.ts'
import { ASHA, JUMA, openWorld } from '../support/world.ts'

function shop(bot: Bot & Sender): void {
  bot.hears('hi', (ctx) => ctx.reply('hello'))
  bot.otherwise((ctx) => ctx.reply(`you said ${ctx.message.text}`))
}

it('a bot over an address of PostgreSQL replies, and the next one over it continues', async () => {
  const { url, read } = await makeDatabase()
  await using world = await openWorld(shop, { options: { database: url } })
  await world.emulator.customer(ASHA).says('hi')
  await world.emulator.customer(JUMA).says('shoes')
  await world.until(async () => (await world.replies(JUMA)).length === 1 && (await world.replies()).length === 1)
  await world.restart(shop)
  await world.emulator.customer(ASHA).says('hat')
  await world.until(async () => (await world.replies()).length === 2)
  expect(await world.replies()).toEqual(['hello', 'you said hat'])
  const accepted = () => read("SELECT count(*) AS n FROM switchhook.sends WHERE state = 'accepted'")
  await expect.poll(accepted).toEqual([{ n: 3 }])
})

it('a bot over a pool of the app works, and leaves the pool open', async () => {
  const { url } = await makeDatabase()
  const pool = ownPool(url)
  {
    await using world = await openWorld(shop, { options: { database: pool } })
    await world.emulator.customer(ASHA).says('hi')
    await world.until(async () => (await world.replies()).length === 1)
  }
  expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
})

it('a message in a transaction of the app is sent after the commit, and not after a rollback [R IDEM-01]', async () => {
  const { url, read } = await makeDatabase()
  const client = new Client({ connectionString: url })
  await client.connect()
  onTestFinished(() => client.end())
  await client.query('CREATE TABLE orders (id bigint PRIMARY KEY)')
  await using world = await openWorld(shop, { options: { database: url } })
  await world.emulator.customer(ASHA).says('hi')
  await world.until(async () => (await world.replies()).length === 1)
  const order = async (id: number, end: 'COMMIT' | 'ROLLBACK') => {
    await client.query('BEGIN')
    await client.query('INSERT INTO orders VALUES ($1)', [id])
    const sent = await world.bot.to(ASHA).send(`Order ${id} is paid`, { key: ['paid', id], tx: client })
    await client.query(end)
    return sent
  }
  await order(7, 'ROLLBACK')
  expect(await order(8, 'COMMIT')).toMatchObject({ via: 'stored', send: { state: 'scheduled' } })
  await world.until(async () => (await world.replies()).length === 2)
  expect(await world.replies()).toEqual(['hello', 'Order 8 is paid'])
  expect(await read('SELECT count(*) AS n FROM switchhook.sends')).toEqual([{ n: 2 }])
})

it('the log line of a start contains neither the password nor the user of the database', async () => {
  const { url } = await makeDatabase()
  await using world = await openWorld(shop, { options: { database: url } })
  const { host, pathname, password } = new URL(url)
  const started = world.lines.find(({ message }) => message === 'started')
  expect(started?.about).toMatchObject({ database: `postgres://${host}${pathname}` })
  expect(JSON.stringify(world.lines)).not.toContain(password)
})
