import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express from 'express'
import { expect, vi } from 'vitest'
import type { Log } from '../../src/base/log.ts'
import { assemble, type Bot, type Sender } from '../../src/bot/bot.ts'
import type { TestOverrides } from '../../src/bot/lifecycle.ts'
import { createEmulator, type Emulator } from '../../src/emulator/emulator.ts'
import type { BotOptions } from '../../src/bot/options.ts'
import { openConnection } from '../../src/store/sqlite/connection.ts'
import type { Store } from '../../src/store/store.ts'
import { counts } from '../../src/store/reads/overview.ts'
import { webhook } from '../../src/bot/inbox/adapters/express.ts'
import { ASHA } from './people.ts'

export { ASHA, JUMA } from './people.ts'

/** A message on a phone, with the members that tests look at. */
export interface Shown {
  id: string
  direction: 'INBOUND' | 'OUTBOUND'
  kind: string
  text: string | null
  status: string | null
  template?: { name: string; language: string; body: string[] }
  interactive?: { buttons?: { id: string; title: string }[] }
  refused?: { status: number; code: string | null }
}

export interface LogLine {
  readonly level: string
  readonly about: unknown
  readonly message: string | undefined
}

export interface World extends AsyncDisposable {
  readonly emulator: Emulator
  readonly database: string
  bot: Bot & Sender
  readonly lines: LogLine[]
  /** Starts another bot beside this one, sends the deliveries to that one, and then stops this one. */
  roll(routes: (bot: Bot & Sender) => void): Promise<void>
  /** Stops the bot at once, and starts another one over the same file. */
  restart(routes: (bot: Bot & Sender) => void): Promise<void>
  thread(customer?: string): Promise<Shown[]>
  /** The texts that arrived on the phone: no refused sends, nothing inbound. */
  replies(customer?: string): Promise<(string | null)[]>
  /** Resolves when the condition holds, and fails if it does not within a minute. */
  until(holds: () => unknown): Promise<void>
  /** Resolves when nothing waits in inbox or outbox any more. */
  settled(): Promise<void>
  /** Posts a delivery to the bot, and answers with the status. */
  deliver(headers: Readonly<Record<string, string>>, body: string): Promise<number | undefined>
  /** Real time, in milliseconds since the epoch. */
  now(): number
  /** The rows of all tables, as JSON. */
  rows(): Promise<string>
  /** The bytes of the database's files. */
  bytesOnDisk(): Promise<string>
  /** Counts of what the database holds, by state. */
  counts(): ReturnType<Store['counts']>
  control(method: string, path: string, body?: unknown): Promise<unknown>
}

/** Emulator and bot in one process, joined by real HTTP, with a database file; back-off takes no time. */
export async function openWorld(
  routes: (bot: Bot & Sender) => void,
  o: { options?: BotOptions; internals?: TestOverrides; emulator?: Parameters<typeof createEmulator>[0] } = {},
): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'switchhook-'))
  const database = join(folder, 'switchhook.db')
  const app = express()
  const server: Server = createServer(app)
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const hook = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks/messages`
  const emulator = await createEmulator({ webhook: hook, seed: 7, ...o.emulator })
  const lines: World['lines'] = []
  let handler: ReturnType<typeof webhook> = (_request, _response, next) => next()
  app.use('/webhooks/messages', (request, response, next) => handler(request, response, next))

  const open = async (): Promise<Bot & Sender> => {
    const bot = assemble(
      {
        baseUrl: emulator.url,
        accessToken: emulator.accessToken,
        signingSecret: emulator.signingSecret,
        database,
        logger: logTo(lines),
        ...o.options,
      },
      { random: () => 0, environment: {}, ...o.internals },
    )
    return bot
  }
  const begin = async (register: (bot: Bot & Sender) => void) => {
    const bot = await open()
    register(bot)
    await bot.start()
    handler = webhook(bot)
    return bot
  }

  const thread = async (customer = ASHA) => (await emulator.customer(customer).thread()) as unknown as Shown[]
  const world: World = {
    emulator,
    database,
    lines,
    bot: await begin(routes),
    async roll(register) {
      const old = world.bot
      world.bot = await begin(register)
      await old.stop()
    },
    async restart(register) {
      await world.bot.stop({ drain: 0 })
      world.bot = await begin(register)
    },
    thread,
    replies: async (customer = ASHA) =>
      (await thread(customer))
        .filter((item) => item.direction === 'OUTBOUND' && !item.refused)
        .map((item) => item.text),
    until: (holds) => vi.waitFor(async () => expect(await holds()).toBeTruthy(), { timeout: 60_000, interval: 10 }),
    async settled() {
      await world.until(async () => {
        const { items, sends } = await world.counts()
        const open = (items['stored'] ?? 0) + (items['running'] ?? 0) + (items['retry'] ?? 0)
        return open + (sends['ready'] ?? 0) + (sends['attempting'] ?? 0) === 0
      })
    },
    deliver: async (headers, body) => (await fetch(hook, { method: 'POST', body, headers })).status,
    now: Date.now,
    async rows() {
      const connection = openConnection(database)
      try {
        return rowsOf(connection)
      } finally {
        connection.close()
      }
    },
    async bytesOnDisk() {
      const files = ['', '-wal', '-shm', '.generation'].map((end) => database + end).filter((file) => existsSync(file))
      return files.map((file) => readFileSync(file, 'latin1')).join('\n')
    },
    async counts() {
      const connection = openConnection(database)
      try {
        return connection.drive(counts())
      } finally {
        connection.close()
      }
    },
    async control(method, path, body) {
      const response = await fetch(`${emulator.url}/_emulator/${path}`, {
        method,
        headers: { authorization: `Bearer ${emulator.controlToken}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      expect(response.ok, `${method} ${path}: ${response.status}`).toBe(true)
      return response.json()
    },
    async [Symbol.asyncDispose]() {
      await world.bot.stop({ drain: 0 })
      await emulator.close()
      server.closeAllConnections()
      server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return world
}

export function rowsOf({ raw }: ReturnType<typeof openConnection>): string {
  const tables = raw.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all() as string[]
  const text = (value: unknown) => (Buffer.isBuffer(value) ? value.toString('latin1') : value)
  return tables
    .flatMap((table) => raw.prepare(`SELECT * FROM ${table}`).raw().all() as unknown[][])
    .map((row) => JSON.stringify(row.map(text)))
    .join('\n')
}

/** A logger that keeps its lines. */
export function logTo(lines: LogLine[]): Log {
  const at = (level: string) => (about: unknown, message?: string) => void lines.push({ level, about, message })
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}
