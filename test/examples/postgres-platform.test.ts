import { Pool } from 'pg'
import { expect, it } from 'vitest'
import { noteOrder, ORDERS, packOrder } from '../../examples/platform/orders.ts'
import { rotateSecret, signUp, TENANTS, tenantsOf } from '../../examples/platform/tenants.ts'
import { createBot } from '../../src/bot/switchhook.ts'
import { makeDatabase } from '../store/postgres-backend.ts'

async function openTables() {
  const pool = new Pool({ connectionString: (await makeDatabase()).url })
  await pool.query(`${TENANTS}; ${ORDERS}`)
  const rows = async (sql: string) => (await pool.query(sql)).rows
  return { pool, rows, [Symbol.asyncDispose]: () => pool.end() }
}

const orderOf = (tenant: string, delivery: string) => ({ tenant, delivery, customer: '255712000101', what: '3 limes' })

it('the platform example packs an order and notifies its customer, or neither, and a tenant who has left blocks no other', async () => {
  await using tables = await openTables()
  const { pool, rows } = tables
  const numbers = tenantsOf(pool)
  const bot = createBot({ database: pool, numbers, baseUrl: 'http://127.0.0.1:9', logger: false })
  await bot.start({ role: 'work' })
  await signUp(pool, { number: 'asha-fruit', apiKey: 'key', webhookSecret: 'secret' })
  await noteOrder(pool, orderOf('has-left', 'd1'))
  await noteOrder(pool, orderOf('asha-fruit', 'd2'))

  await expect(packOrder(pool, (tenant) => bot.number(tenant))).rejects.toMatchObject({ code: 'no_access_token' })
  expect(await packOrder(pool, (tenant) => bot.number(tenant))).toBe(true)
  expect(await rows('SELECT tenant, state FROM orders ORDER BY id')).toEqual([
    { tenant: 'has-left', state: 'new' },
    { tenant: 'asha-fruit', state: 'ready' },
  ])
  expect(await rows('SELECT number FROM switchhook.sends')).toEqual([{ number: 'asha-fruit' }])
  await bot.stop()
})

it('the platform example records an order once, however often its handler runs', async () => {
  await using tables = await openTables()
  await noteOrder(tables.pool, orderOf('asha-fruit', 'd1'))
  await noteOrder(tables.pool, orderOf('asha-fruit', 'd1'))
  expect(await tables.rows('SELECT delivery FROM orders')).toEqual([{ delivery: 'd1' }])
})

it('the platform example knows a new secret and the previous one, and nobody who has not signed up', async () => {
  await using tables = await openTables()
  const { pool } = tables
  await signUp(pool, { number: 'asha-fruit', apiKey: 'key', webhookSecret: 'first' })
  await rotateSecret(pool, 'asha-fruit', 'second')
  await rotateSecret(pool, 'asha-fruit', 'third')
  const { find } = tenantsOf(pool)
  expect(await find('asha-fruit')).toEqual({ accessToken: 'key', signingSecret: ['third', 'second'] })
  expect(await find('nobody')).toBeUndefined()
})
