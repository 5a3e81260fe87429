/** A writer beside the others, in its own thread: how long it waits for the lock that all writers take. */
import { setTimeout as wait } from 'node:timers/promises'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { Client } from 'pg'
import { LOCK_WRITER } from '../../../src/store/postgres/transaction.ts'

export interface Waits {
  readonly longestMs: number
  /** Of 100 waits 99 were not longer. */
  readonly p99Ms: number
  /** Waits above 50 ms, of so many. */
  readonly above: number
  readonly count: number
}

const EVERY_MS = 2

/** @param work runs meanwhile. */
export async function waitsBeside(database: string, work: () => Promise<unknown>): Promise<Waits> {
  const worker = new Worker(new URL(import.meta.url), { workerData: database })
  const message = () => new Promise((resolve) => worker.once('message', resolve))
  await message()
  await work()
  worker.postMessage('end')
  const waits = (await message()) as Waits
  await worker.terminate()
  return waits
}

async function beside(database: string): Promise<void> {
  const client = new Client(database)
  await client.connect()
  const waits: number[] = []
  let over = false
  parentPort?.once('message', () => (over = true))
  parentPort?.postMessage('ready')
  while (!over) {
    await client.query('BEGIN')
    const began = performance.now()
    await client.query(LOCK_WRITER)
    waits.push(performance.now() - began)
    await client.query('COMMIT')
    await wait(EVERY_MS)
  }
  await client.end()
  waits.sort((a, b) => a - b)
  const at = (share: number) => waits[Math.min(waits.length - 1, Math.floor(share * waits.length))] ?? 0
  parentPort?.postMessage({
    longestMs: at(1),
    p99Ms: at(0.99),
    above: waits.filter((ms) => ms > 50).length,
    count: waits.length,
  } satisfies Waits)
}

if (!isMainThread) await beside(workerData as string)
