/** The cost of an item out of a queue of many, beside one out of a queue that has no others. */
import { startPostgres } from '../../../test/support/own-postgres.ts'
import { readPostgres } from '../../../test/support/read-postgres.ts'
import { median } from '../rounds.ts'
import { MESSAGES_OF_A_CUSTOMER, makeDeliveries, SETTINGS, type Size } from './compare.ts'
import { fill } from './fill.ts'
import { ours, work } from './ours.ts'
import { costOf } from './server-cpu.ts'

export async function drain(rows: number, { rounds, deliveries }: Size): Promise<void> {
  await using server = await startPostgres(SETTINGS)
  const [few, many] = await Promise.all(
    ['few', 'many'].map(async (name) => {
      await readPostgres(server.url, `CREATE DATABASE ${name} TEMPLATE template0`)
      return Object.assign(new URL(server.url), { pathname: `/${name}` }).href
    }),
  )
  if (few === undefined || many === undefined) return
  await using bot = await ours(few)
  {
    await using filled = await ours(many)
    await filled.accept(makeDeliveries(1))
    await filled.handle()
  }
  await fill(many, { rows, customers: Math.ceil(rows / MESSAGES_OF_A_CUSTOMER), wait: true, days: 0, analyze: true })

  const cost = (handle: () => Promise<number>) => costOf(server.pid(), handle)
  const turns: { server: number; all: number }[] = []
  for (let round = -1; round < rounds; round++) {
    await bot.accept(makeDeliveries(deliveries))
    const ofFew = await cost(() => bot.handle())
    const ofMany = await cost(() => work(many, deliveries))
    console.log(
      `round ${round + 1}: of few ${ofFew.server.toFixed(0)}+${ofFew.client.toFixed(0)} µs, of many ${ofMany.server.toFixed(0)}+${ofMany.client.toFixed(0)} µs`,
    )
    const all = (ofFew.server + ofFew.client) / (ofMany.server + ofMany.client)
    if (round >= 0) turns.push({ server: ofFew.server / ofMany.server, all })
  }
  const [byServer, byAll] = [median(turns.map(({ server }) => server)), median(turns.map(({ all }) => all))]
  console.log(
    `an item beside ${rows.toLocaleString('en')} others: ${byServer.toFixed(2)} of the speed by the server's CPU, ${byAll.toFixed(2)} by all CPU (at least 0.8)`,
  )
}
