/** A contender's claims are checked before it is timed. */
import Database from 'better-sqlite3'
import { ask, type Contender } from './contenders.ts'
import { fire } from './load.ts'
import { prepare, type Scheme } from './requests.ts'
import { handled } from './rounds.ts'

const COUNT = 200

/** Refuses forgeries and handles none of them; takes what is signed, and handles all of it; ours handles it once. */
export async function checkClaims(contender: Contender, scheme?: Scheme): Promise<void> {
  const { name, port } = contender
  const refused = await fire(port, prepare(COUNT, { forged: true }, scheme))
  for (const status of refused.answers.keys())
    if (status < 400 || status > 499) throw new Error(`${name} answers a forgery with ${status}`)
  if ((await ask(contender)).handled !== contender.sent) throw new Error(`${name} handled a forgery`)
  const requests = prepare(COUNT, {}, scheme)
  for (const sent of name.startsWith('ours') ? [requests, requests] : [requests]) {
    const { answers } = await fire(port, sent)
    if (answers.get(200) !== COUNT) throw new Error(`${name}: ${JSON.stringify([...answers])}`)
  }
  contender.sent += COUNT
  await checkHandled(contender)
}

/** Handled once each; those that store have a row for each of them, beside those that were there `before`. */
export async function checkHandled(contender: Contender, before = 0): Promise<void> {
  const { name, sent, database } = contender
  const figures = await handled(contender)
  if (figures.handled !== sent) throw new Error(`${name} handled ${figures.handled} of ${sent}`)
  if (!name.startsWith('ours') && name !== 'insert') return
  const stored = deliveriesIn(database) - before
  if (stored !== sent) throw new Error(`${name} stored ${stored} of ${sent}`)
}

/** Through a connection of the bench's own: what is in the file is what another process sees. */
export function deliveriesIn(database: string): number {
  const raw = new Database(database, { readonly: true })
  const isOurs = raw.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'inbox'").get() !== undefined
  const count = raw
    .prepare(`SELECT count(*) FROM ${isOurs ? 'inbox WHERE idx = 0' : 'deliveries'}`)
    .pluck()
    .get()
  raw.close()
  return Number(count)
}
