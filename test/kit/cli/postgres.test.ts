import { tmpdir } from 'node:os'
import { expect, it, onTestFinished } from 'vitest'
import { serverFinding } from '../../../src/kit/cli/doctor/database-findings.ts'
import type { Store } from '../../../src/store/store.ts'
import { openPostgres } from '../../../src/store/postgres/postgres-store.ts'
import { lookAtServer } from '../../../src/store/postgres/postgres-reader.ts'
import { makeDatabase } from '../../store/postgres-backend.ts'
import { ASHA, send } from '../../store/samples.ts'
import { alone, arrived, DEAD, handle } from './inbox-support.ts'
import { switchhook } from './support.ts'

/** Flags stand before the command of an app. */
function withDatabase(args: readonly string[], url: string): string[] {
  const end = args.includes('--') ? args.indexOf('--') : args.length
  return [...args.slice(0, end), '--database', url, ...args.slice(end)]
}

/** A database that an app works on, and commands beside it. */
async function openApp() {
  const { url } = await makeDatabase()
  const store: Store = await openPostgres(url)
  onTestFinished(() => store.close())
  return { url, store, run: (...args: string[]) => switchhook(withDatabase(args, url), {}, tmpdir()) }
}

it('switchhook inbox shows, retries and forgets over PostgreSQL, and promises nothing about the files of the server', async () => {
  const { store, run } = await openApp()
  const seq = await arrived(store, [alone()])
  await handle(store, DEAD)
  expect((await run('inbox', 'show', String(seq))).stdout).toContain('its handlers failed for good')
  expect((await run('inbox', 'retry', String(seq))).code).toBe(0)
  expect((await store.counts()).items).toEqual({ stored: 1 })
  await handle(store, DEAD)
  const forgotten = await run('inbox', 'forget', ASHA, '--yes', '--json')
  expect(JSON.parse(forgotten.stdout)).toEqual({
    customer: '…101',
    erased: expect.objectContaining({ items: 1 }),
    left: 0,
  })
})

it('switchhook outbox holds and releases sends over PostgreSQL', async () => {
  const { store, run } = await openApp()
  await store.openSend(send())
  expect((await run('outbox', 'hold')).code).toBe(0)
  expect((await store.counts()).sends).toEqual({ held: 1 })
  expect((await run('outbox', 'resume')).code).toBe(0)
  expect((await store.counts()).sends).toEqual({ ready: 1 })
})

it('no command creates tables in a database without them, and none shows the password', async () => {
  const { url, read } = await makeDatabase()
  const { code, stdout, stderr } = await switchhook(['inbox', 'ls', '--database', url], {}, tmpdir())
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toContain('the app brings it up to date as it starts')
  expect(stderr).not.toContain(new URL(url).password)
  expect(await read("SELECT 1 FROM pg_namespace WHERE nspname = 'switchhook'")).toEqual([])
})

it('switchhook doctor finds a database that is read-only or not durable', async () => {
  const { url, read } = await makeDatabase()
  const name = new URL(url).pathname.slice(1)
  expect(await lookAtServer(url)).toMatchObject({ readOnly: false })
  await read(`ALTER DATABASE ${name} SET default_transaction_read_only = on`)
  expect(await lookAtServer(url)).toMatchObject({ readOnly: true })
  const setup = { env: {}, prod: true, webhook: undefined }
  const states = [
    { durable: true, readOnly: false },
    { durable: false, readOnly: false },
    { durable: true, readOnly: true },
  ].map((facts) => serverFinding(setup, facts).state)
  expect(states).toEqual(['ok', 'bad', 'bad'])
})
