import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { assemble } from '../../src/app/bot.ts'
import { type BotOptions, settingsFrom } from '../../src/app/options.ts'
import { lockText, shapeOf } from '../../src/payload/index.ts'
import { openSqlite } from '../../src/stores/sqlite/index.ts'

const { fingerprint, paths } = shapeOf({ data: { from: '' } })
const LOCK = lockText({
  events: { 'message.received': { facts: { customer: ['data.from:string'] }, shapes: { [fingerprint]: paths } } },
})
const SERVICE = { signingSecret: 's', accessToken: 't', baseUrl: 'https://api.example.test' }
const EMULATOR = { ...SERVICE, baseUrl: 'http://127.0.0.1:4010' }

let folder: string
const before = process.cwd()
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchhook-lock-'))
  process.chdir(folder)
})
afterEach(() => {
  process.chdir(before)
  rmSync(folder, { recursive: true })
})

const lockIn = (options: BotOptions, environment = {}) =>
  settingsFrom(options, { NODE_ENV: 'production', ...environment }).payloadLock?.file

it('a lock in the working directory counts by itself, but not for an emulator, whose shapes are its own [R EVT-08]', () => {
  expect(lockIn(SERVICE)).toBeUndefined()
  writeFileSync('payload.lock.json', LOCK)
  expect(lockIn(SERVICE)).toBe('payload.lock.json')
  expect(lockIn(EMULATOR)).toBeUndefined()
  expect(lockIn({ ...SERVICE, payloadLock: false })).toBeUndefined()
})

it('a lock that is named counts everywhere, and has to be there [R EVT-08]', () => {
  const named = join(folder, 'other.json')
  const missing = {
    code: 'lock_invalid',
    message: expect.stringMatching(/other\.json cannot be read: there is no such file/),
  }
  expect(() => lockIn({ ...SERVICE, payloadLock: named })).toThrow(expect.objectContaining(missing))
  writeFileSync(named, LOCK)
  expect(lockIn({ ...EMULATOR, payloadLock: named })).toBe(named)
  expect(lockIn(EMULATOR, { SWITCHHOOK_PAYLOAD_LOCK: named })).toBe(named)
})

it('a lock that is damaged refuses the start, also one that nobody named [R EVT-08]', () => {
  writeFileSync('payload.lock.json', '{}')
  expect(() => lockIn(SERVICE)).toThrow(expect.objectContaining({ code: 'lock_invalid' }))
})

it('a lock of an event that the specification does not name, and that never came, is told of at the start [R EVT-08]', async () => {
  const locked = { facts: { customer: ['data.from:string'] }, shapes: { [fingerprint]: paths } }
  writeFileSync('payload.lock.json', lockText({ events: { 'mesage.received': locked, 'shop.opened': locked } }))
  const [database, lines] = [join(folder, 'bot.db'), [] as string[]]
  const starts = async (options: BotOptions = {}) => {
    lines.length = 0
    const logger = {
      debug() {},
      info() {},
      warn: (_: object, message?: string) => void lines.push(message ?? ''),
      error() {},
    }
    const bot = assemble({ ...SERVICE, allowedRecipients: [], database, logger, ...options }, { environment: {} })
    bot.otherwise(() => {})
    await bot.start()
    await bot.stop()
    return lines.filter((line) => line.includes('payload.lock.json'))
  }
  const told = await starts()
  expect(told).toEqual([
    expect.stringMatching(/locks mesage\.received, .*never came.*misspelt.*did you mean message\.received\?/),
    expect.stringMatching(/locks shop\.opened, .*never came/),
  ])
  const store = openSqlite(database)
  const counts = { fingerprint, paths, truncated: false, deliveries: 1, messages: 1, firstAt: 0, lastAt: 0 }
  await store.addPayloads({ shapes: [{ ...counts, event: 'shop.opened' }], facts: [] })
  await store.close()
  expect(await starts()).toEqual([expect.stringContaining('mesage.received')])
  writeFileSync('payload.lock.json', lockText({ events: { 'message.received': locked, 'order.paid': locked } }))
  expect(await starts()).toEqual([])
})

it('a bot that answers confirmed customers alone says at its start if none is confirmed [R EVT-08]', async () => {
  writeFileSync('payload.lock.json', LOCK)
  const warned = async (options: BotOptions) => {
    const lines: string[] = []
    const keep = (_: object, message?: string) => void lines.push(message ?? '')
    const logger = { debug() {}, info() {}, warn: keep, error() {} }
    const bot = assemble({ signingSecret: 's', database: ':memory:', logger, ...options }, { environment: {} })
    bot.otherwise(() => {})
    await bot.start()
    await bot.stop()
    return lines.filter((line) => line.startsWith("replies: 'locked'"))
  }
  const facts = { 'message.received': { customer: 'data.from' } }
  expect(await warned({ replies: 'locked', payloadLock: false })).toHaveLength(1)
  for (const options of [
    { payloadLock: false } as const,
    { replies: 'locked' } as const,
    { replies: 'locked', payloadLock: false, facts } as const,
  ])
    expect(await warned(options)).toEqual([])
})
