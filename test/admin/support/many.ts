/**
 * The admin page over 100,000 dead deliveries and as many sends, by hand, in Chromium and over either store:
 *
 *     npm run build:page && node --conditions=switchhook-source test/admin/support/many.ts [--postgres]
 *
 * Prints how long the server's answers took, and fails if a task of the page needed the processor for more than 100 ms.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { Page } from 'playwright-core'
import { openBrowser } from '../../page/support/browser.ts'
import { startPostgres } from '../../support/own-postgres.ts'
import { readPostgres } from '../../support/read-postgres.ts'
import { openAdmin } from './page.ts'
import { tasksOf } from './tasks.ts'
import { CUSTOMERS, openShop } from './shop.ts'

const tell = (line: string) => process.stdout.write(`${line}\n`)

const ROWS = 100_000
const FIRST = 1_000_000
const ITEMS_OF_A_DELIVERY = 1_048_576
const LONGEST_TASK_MS = 100
const TASKS_TOLD = 3
/** Each answer is measured so many times, and the median is told. */
const TIMES = 5

/** By table: the columns that a copy has of its own. `n` is its number, `digest` a digest of it. */
const COPIES = {
  deliveries: { seq: 'n', delivery_id: `'filled-' || n`, digest: 'digest' },
  items: {
    id: `n * ${ITEMS_OF_A_DELIVERY}`,
    seq: 'n',
    customer: `'25571' || (n % 9000 + 1000000)`,
    cause: `'filled-' || n`,
    identity: `'filled-' || n`,
  },
  sends: {
    seq: 'n',
    id: `'filled-' || n`,
    key: `'filled-' || n`,
    message_id: `'filled-' || n`,
    upstream_id: `'filled-' || n`,
  },
} as const
/** The row that is copied: a delivery that is dead, and a send that was accepted. */
const COPIED = {
  deliveries: "WHERE seq = (SELECT seq FROM items WHERE state = 'dead' LIMIT 1)",
  items: "WHERE state = 'dead' ORDER BY id",
  sends: "WHERE state = 'accepted' ORDER BY seq",
} as const

interface Filled extends AsyncDisposable {
  readonly database: string
  read(sql: string): Promise<readonly Record<string, unknown>[]>
  readonly numbers: string
  readonly digest: string
}

async function sqlite(): Promise<Filled> {
  const folder = mkdtempSync(join(tmpdir(), 'switchhook-many-'))
  const database = join(folder, 'many.db')
  return {
    database,
    async read(sql) {
      const connection = new Database(database)
      connection.pragma('journal_mode = WAL')
      const statement = connection.prepare(sql)
      const rows = statement.reader ? statement.all() : (statement.run(), [])
      connection.close()
      return rows as Record<string, unknown>[]
    },
    numbers: `(WITH RECURSIVE c(n) AS (SELECT ${FIRST} UNION ALL SELECT n + 1 FROM c WHERE n < ${FIRST + ROWS - 1}) SELECT n FROM c)`,
    digest: 'randomblob(32)',
    [Symbol.asyncDispose]: async () => rmSync(folder, { recursive: true }),
  }
}

async function postgres(): Promise<Filled> {
  const server = await startPostgres()
  const database = server.url
  return {
    database,
    read: (sql) => readPostgres(database, sql),
    numbers: `(SELECT n::bigint FROM generate_series(${FIRST}, ${FIRST + ROWS - 1}) n)`,
    digest: `decode(md5(n::text), 'hex')`,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

async function fill({ read, numbers, digest }: Filled): Promise<void> {
  for (const [table, own] of Object.entries(COPIES)) {
    const like = `(SELECT * FROM ${table} ${COPIED[table as keyof typeof COPIED]} LIMIT 1)`
    let [row] = await read(`SELECT * FROM ${like} AS t`)
    // The bot is still at work on what the customers have written.
    while (row === undefined) {
      await new Promise((done) => setTimeout(done, 20))
      ;[row] = await read(`SELECT * FROM ${like} AS t`)
    }
    const columns = Object.keys(row)
    const values = columns.map((name) => (own as Record<string, string>)[name] ?? `t.${name}`).join(', ')
    const spelled = values.replace(/\bdigest\b/, () => digest)
    await read(`INSERT INTO ${table} (${columns.join(', ')}) SELECT ${spelled} FROM ${like} AS t, ${numbers} AS c`)
  }
}

const ANSWERS = [
  'api/health',
  'api/deliveries',
  'api/deliveries?state=dead',
  `api/deliveries?state=dead&after=${FIRST + ROWS / 2}`,
  'api/deliveries?event=message.received',
  'api/deliveries?event=none',
  'api/sends',
  'api/sends?state=unknown',
  'api/conversations',
  'api/timers',
]

async function timed(what: string, ask: () => Promise<Response>): Promise<void> {
  const times: number[] = []
  for (let time = 0; time < TIMES; time++) {
    const began = performance.now()
    const answer = await ask()
    await answer.text()
    times.push(performance.now() - began)
    if (!answer.ok) tell(`${what}: ${answer.status}`)
  }
  const [first = 0] = times
  const median = times.toSorted((a, b) => a - b)[2] ?? 0
  tell(`${Math.round(median)} ms (at first ${Math.round(first)}) ${what}`)
}

/** Scrolls a list to its end as a person with an impatient hand would, and goes through the other views. */
async function walk(page: Page): Promise<void> {
  for (const list of ['deliveries?state=dead', 'sends', 'deliveries']) {
    await page.evaluate(`location.hash = '#/${list}'`)
    await page.locator('a.row').first().waitFor()
    const rows = (await page.evaluate(`(async () => {
      const box = document.querySelector('.rows')
      const frame = () => new Promise(requestAnimationFrame)
      const until = performance.now() + 300_000
      for (let still = 0, before = 0; still < 120 && performance.now() < until; ) {
        box.scrollTop = box.scrollHeight
        await frame()
        still = box.scrollHeight === before ? still + 1 : 0
        before = box.scrollHeight
      }
      return Number([...box.querySelectorAll('[data-index]')].at(-1)?.dataset.index) + 1
    })()`)) as number
    tell(`${list}: ${rows} rows were read`)
  }
}

const isPostgres = process.argv.includes('--postgres')
await using filled = await (isPostgres ? postgres() : sqlite())
await using shop = await openShop({ database: filled.database })
await shop.emulator.customer(CUSTOMERS[0]).says('price of hats')
await shop.emulator.customer(CUSTOMERS[1]).says('hours')
await fill(filled)
tell(`${ROWS.toLocaleString('en')} rows in ${isPostgres ? 'PostgreSQL' : 'SQLite'}`)

const url = `${shop.url}/admin`
const headers = { 'content-type': 'application/json', 'x-switchhook-admin': '1' }
const post = (path: string, body: unknown) =>
  fetch(`${url}/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
for (const path of ANSWERS) await timed(path, () => fetch(`${url}/${path}`))
await timed('a search for a customer', () => post('api/search', { text: '255711000500' }))
await timed('a search for an id', () => post('api/search', { text: `filled-${FIRST + 7}` }))
const filter = { states: ['dead'] }
await timed('a preview of 2,000', () => post('api/preview', { filter }))

const browser = await openBrowser()
try {
  await using opened = await openAdmin(browser, url)
  const tasks = await tasksOf(browser, opened.page, () => walk(opened.page))
  const longest = tasks[0]?.cpuMs ?? Number.POSITIVE_INFINITY
  for (const { cpuMs, wallMs } of tasks.slice(0, TASKS_TOLD))
    tell(`a task of ${Math.round(cpuMs)} ms of the processor (${Math.round(wallMs)} ms by the clock)`)
  tell(`${tasks.length} tasks: ${longest > LONGEST_TASK_MS ? 'TOO LONG' : 'none'} over ${LONGEST_TASK_MS} ms`)
  if (longest > LONGEST_TASK_MS) process.exitCode = 1
} finally {
  await browser.close()
}
