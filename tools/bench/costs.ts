/** Costs that must not grow with things: ours beside ours elsewhere. Here lower is better. */
import { statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { checkHandled, deliveriesIn } from './claims.ts'
import { ask, type Contender, end, fileOf, launch } from './contenders.ts'
import { fillWithKnown } from './fill.ts'
import { prepare } from './requests.ts'
import type { Size } from './ratios.ts'
import { ratio, rounds, take, type Turn } from './rounds.ts'
import type { Measured } from './table.ts'
import { pruning } from '../../src/store/maintenance/maintenance.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite-store.ts'

const DAY_MS = 86_400_000

/** A file that knows so many deliveries, whose bytes are pruned, beside an empty one. */
export async function ids(known: number, { requests: count, rounds: enough }: Size): Promise<Measured[]> {
  const database = fileOf('ours-known')
  const turn = (contender: Contender): Turn => ({ contender, requests: (count) => prepare(count), count })
  const seed = await launch('ours-seed', { database })
  await take({ ...turn(seed), requests: (count) => prepare(count, { customers: 1 }), count: 64 })
  await end(seed)
  await prune(database)
  fillWithKnown(database, known)
  const before = deliveriesIn(database)
  const [full, fresh] = [await launch('ours-known', { database }), await launch('ours-fresh')]
  const all = await rounds({ known: turn(full), none: turn(fresh) }, enough)
  await checkHandled(full, before)
  for (const contender of [full, fresh]) await end(contender)
  const { value, note } = ratio(all, 'known', 'none')
  return [{ key: 'ids', value, note: `${before.toLocaleString('en')} known ids; ${note}` }]
}

export async function storm(many: number, enough: number): Promise<Measured[]> {
  const turn = (contender: Contender, customers: number): Turn => {
    return { contender, requests: (count) => prepare(count, { customers }), count: many }
  }
  const [one, crowd] = [await launch('ours-storm'), await launch('ours-crowd')]
  const all = await rounds({ one: turn(one, 1), many: turn(crowd, many) }, enough)
  for (const contender of [one, crowd]) {
    await checkHandled(contender)
    await end(contender)
  }
  return [{ key: 'storm', ...ratio(all, 'one', 'many') }]
}

export async function memory(many: number): Promise<Measured[]> {
  const contender = await launch('ours-heap')
  const turn = { contender, requests: (count: number) => prepare(count), count: many }
  await take(turn)
  const { heap: first } = await ask(contender, { ask: 'heap' })
  for (let ten = 1; ten < 10; ten++) await take(turn)
  const { heap: last } = await ask(contender, { ask: 'heap' })
  await end(contender)
  const mb = (bytes: number) => (bytes / 1e6).toFixed(1)
  return [{ key: 'heap', value: last / first, note: `${mb(last)} ÷ ${mb(first)} MB` }]
}

export async function file(many: number): Promise<Measured[]> {
  const contender = await launch('ours-file')
  await take({ contender, requests: (count) => prepare(count), count: many })
  await checkHandled(contender)
  await end(contender)
  const whole = statSync(contender.database).size / 1000 / many
  await prune(contender.database)
  return [
    { key: 'file', value: whole },
    {
      key: 'pruned',
      value: kilobytesInUse(contender.database) / many,
      note: 'the file keeps its size and fills again',
    },
  ]
}

function kilobytesInUse(database: string): number {
  const raw = new Database(database, { readonly: true })
  const [pages, free, size] = ['page_count', 'freelist_count', 'page_size'].map((name) =>
    Number(raw.pragma(name, { simple: true })),
  ) as [number, number, number]
  raw.close()
  return ((pages - free) * size) / 1000
}

/** Removes the bytes of all deliveries, as maintenance does later. */
async function prune(database: string): Promise<void> {
  const store = openSqlite(database)
  const now = store.clock()
  for await (const _ of pruning(store, { bytesBefore: now, idsBefore: now - 30 * DAY_MS, now }));
  await store.compact()
  await store.close()
}
