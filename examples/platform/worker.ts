/** A worker: it handles what the receivers have stored, sends, and packs orders. */
import { setTimeout as wait } from 'node:timers/promises'
import { createPlatform } from './bot.ts'
import { openDatabase } from './database.ts'
import { serveInner } from './inner.ts'
import { packOrder } from './orders.ts'

const pool = await openDatabase()
const bot = createPlatform(pool)
const inner = serveInner(bot)
await bot.start({ role: 'work' })

let stopping = false
process.once('SIGTERM', () => {
  stopping = true
})
while (!stopping) {
  const packed = await packOrder(pool, (tenant) => bot.number(tenant)).catch((error: Error) => {
    console.error(`No order was packed: ${error.message}`)
  })
  if (!packed) await wait(500)
}

await bot.stop()
inner.close()
await pool.end()
