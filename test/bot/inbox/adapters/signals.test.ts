import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openSqlite } from '../../../../src/store/sqlite/sqlite-store.ts'
import { headersOf, SECRET } from '../signing.ts'
import { folder, forkBot } from './child.ts'
import { ask } from './http.ts'

const body = (text: string) =>
  Buffer.from(JSON.stringify({ from: '255712345678', id: `m-${text}`, type: 'text', text, timestamp: 1_763_625_600 }))

type Running = Awaited<ReturnType<typeof forkBot>>

function post({ port, path }: Running, text: string) {
  const bytes = body(text)
  const timestamp = Math.floor(Date.now() / 1000)
  return ask(port, path, { headers: headersOf(bytes, { timestamp, delivery: `d-${text}` }), body: bytes })
}

/** Reads the database from a process that did not write it. */
async function left(database: string) {
  const store = openSqlite(database)
  const { deliveries, items } = await store.counts()
  const waiting = await store.listDeliveries({ states: ['stored'], limit: 99 })
  await store.close()
  return { deliveries, items, waiting: waiting.deliveries.map((row) => row.deliveryId) }
}

describe('SIGTERM to a process that serves', () => {
  it('lets handlers finish, stores and answers meanwhile, and ends with code 0 [R DEL-02, F-58]', async () => {
    const database = join(folder(), 'bot.db')
    const running = await forkBot(SECRET, database)
    expect(await post(running, 'wait')).toMatchObject({ status: 200 })
    await running.message('handling')
    running.child.kill('SIGTERM')
    await running.message('stopping')
    const answers = [await post(running, 'late'), await post(running, 'later'), await post(running, 'late')]
    running.child.send('end')
    expect(await running.exited).toEqual([0, null])
    const closing = { status: 200, headers: { connection: 'close' } }
    expect(answers).toMatchObject([
      { ...closing, body: '{"status":"accepted"}' },
      { ...closing, body: '{"status":"accepted"}' },
      { ...closing, body: '{"status":"duplicate"}' },
    ])
    const { deliveries, items, waiting } = await left(database)
    expect(deliveries).toEqual({ stored: 3 })
    expect(items).toEqual({ done: 1, stored: 2 })
    expect(waiting).toEqual(['d-later', 'd-late'])
  })

  it('ends a process whose app has an open timer, if nobody else listens for the signal [R DEL-02]', async () => {
    const running = await forkBot(SECRET, join(folder(), 'bot.db'), 'busy.ts', 'alone')
    running.child.kill('SIGTERM')
    expect(await running.exited).toEqual([0, null])
  })

  it.each(['listens', 'listens before'])(
    'leaves the end to an app that %s for the signal, and the log has what keeps the process [R DEL-02]',
    async (how) => {
      const running = await forkBot(SECRET, join(folder(), 'bot.db'), 'busy.ts', how)
      running.child.kill('SIGTERM')
      running.child.kill('SIGTERM')
      expect(await running.message('kept')).toMatchObject({ kept: { Timeout: 1 } })
      running.child.send('close')
      expect(await running.exited).toEqual([0, null])
    },
  )

  it('ends a process with two bots only when both have stopped [R DEL-02]', async () => {
    const database = join(folder(), 'bot.db')
    const running = await forkBot(SECRET, database, 'busy.ts', 'two')
    expect(await post(running, 'wait')).toMatchObject({ status: 200 })
    await running.message('handling')
    running.child.kill('SIGTERM')
    expect(await running.message('stopped')).toBe('second')
    running.child.send('end')
    expect(await running.exited).toEqual([0, null])
    expect((await left(database)).items).toEqual({ done: 1 })
  })
})
