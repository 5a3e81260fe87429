import type { ActPage, ActRow, NewAct } from '../port/index.ts'
import { allAs, one, run, sql, type Steps, when } from './steps.ts'

/** Records that an act begins, before anything is done; answers with its place. */
export function* recordAct({ at, who, act, what }: NewAct): Steps<number> {
  const last = yield* one<{ seq: number }>(sql`SELECT seq FROM acts ORDER BY seq DESC LIMIT 1`)
  const seq = (last?.seq ?? 0) + 1
  yield* run(sql`INSERT INTO acts (seq, at, who, act, what) VALUES (${seq}, ${at}, ${who}, ${act}, ${what})`)
  return seq
}

/** Records that it has ended, and how many it changed. */
export function* endAct(seq: number, count: number): Steps<void> {
  yield* run(sql`UPDATE acts SET count = ${count} WHERE seq = ${seq}`)
}

/** The newest first, a page at a time: ask with `next` until there is none. */
export function* listActs({ limit, after }: { readonly limit: number; readonly after?: number }): Steps<ActPage> {
  const acts = yield* allAs<ActRow>(sql`
    SELECT * FROM acts WHERE true ${when(after !== undefined, () => sql`AND seq < ${after}`)}
    ORDER BY seq DESC LIMIT ${limit}`)
  return { acts, next: acts.length < limit ? undefined : acts.at(-1)?.seq }
}
