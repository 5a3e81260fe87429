/** Statements, commits and rows of a delivery, counted at 64 connections. */
import { ask, end, launch } from './contenders.ts'
import { checkHandled } from './claims.ts'
import { prepare } from './requests.ts'
import { take } from './rounds.ts'
import type { Measured } from './table.ts'

export async function counts(requests: number): Promise<Measured[]> {
  const contender = await launch('ours-counted')
  const turn = { contender, requests: (count: number) => prepare(count), count: requests }
  await take(turn)
  const before = (await ask(contender)).counts
  await take(turn)
  const after = (await ask(contender)).counts
  await take({ ...turn, requests: (count) => prepare(count, { forged: true }), answer: 401 })
  const refused = (await ask(contender)).counts
  if (!before || !after || !refused) throw new Error('nothing was counted')
  if (after.commits === before.commits) throw new Error('commits go past the counter')
  await checkHandled(contender)
  await end(contender)
  return [
    { key: 'forgeryWrites', value: refused.rows - after.rows },
    { key: 'statements', value: (after.statements - before.statements) / requests },
    { key: 'batch', value: requests / (after.commits - before.commits) },
    { key: 'rows', value: (after.rows - before.rows) / requests },
  ]
}
