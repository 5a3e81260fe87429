import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import express from 'express'
import { webhook } from 'switchhook/express'
import { botOn } from '../receive/bot.ts'
import { headersOf, MESSAGE, signatureOf } from '../receive/signing.ts'
import { manualTimers } from '../receive/time.ts'
import { ask, dial, head, listenOn } from './http.ts'

const PATH = '/webhooks/messages'
const LIMIT = 1_048_576
const DEADLINE_MS = 10_000
const OURS = { status: 200, body: '{"status":"accepted"}' }

/** An app with a started bot, whose timers a test moves. */
async function appOn(o: Parameters<typeof botOn>[0] = {}) {
  const time = manualTimers()
  const on = botOn({ ...o, overrides: { timers: time.timers } })
  await on.bot.start()
  const listening = await listenOn(express().use(PATH, webhook(on.bot)))
  return { ...on, ...listening, timers: time }
}

const json = (length: number) => Buffer.from(`{"t":"${'a'.repeat(length - 8)}"}`)
const signed = (body: Uint8Array) => ({ ...headersOf(body), connection: 'close' })

describe('the size of a body', () => {
  it.each([LIMIT - 1, LIMIT])('%i bytes are taken, declared or in chunks [R SIG-02, F-34]', async (length) => {
    const { port } = await appOn()
    const body = json(length)
    expect(await ask(port, PATH, { headers: headersOf(body), body })).toMatchObject(OURS)
    const wire = await dial(port)
    wire.write(head(PATH, { ...signed(body), 'transfer-encoding': 'chunked' }), ...chunks(body, 60_000))
    expect(await wire.answer()).toMatchObject({ status: 200, body: '{"status":"duplicate"}' })
  })

  it('one byte more, declared: refused before anything of it came [R SIG-02, F-34]', async () => {
    const { port, sockets, counts } = await appOn()
    const wire = await dial(port)
    const sent = head(PATH, { ...headersOf(MESSAGE), 'content-length': LIMIT + 1 })
    wire.write(sent)
    expect(await wire.answer()).toMatchObject({
      status: 413,
      body: '{"error":"too_large"}',
      headers: { connection: 'close', 'content-type': 'application/json' },
    })
    await wire.rest()
    expect(sockets[0]?.bytesRead).toBe(sent.length)
    expect((await counts()).deliveries).toEqual({})
  })

  it('one byte more, in chunks: refused when it is counted [R SIG-02, F-34]', async () => {
    const { port, counts } = await appOn()
    const wire = await dial(port)
    wire.write(head(PATH, { ...headersOf(MESSAGE), 'transfer-encoding': 'chunked' }), ...chunks(json(LIMIT), 65_536))
    wire.write('1\r\na\r\n')
    expect(await wire.answer()).toMatchObject({ status: 413, headers: { connection: 'close' } })
    expect((await counts()).deliveries).toEqual({})
  })

  it('an endless upload is not read on: memory stays flat [R SIG-02, F-34]', async () => {
    const { port, sockets } = await appOn()
    const wire = await dial(port)
    wire.write(head(PATH, { ...headersOf(MESSAGE), 'transfer-encoding': 'chunked' }))
    const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(0x10000, 'a'), Buffer.from('\r\n')])
    const pour = () => {
      while (wire.socket.writable && wire.socket.write(chunk));
    }
    wire.socket.on('drain', pour)
    pour()
    await wire.rest()
    expect(sockets[0]?.bytesRead).toBeGreaterThan(LIMIT)
    expect(sockets[0]?.bytesRead).toBeLessThan(LIMIT + 4 * 65_536)
  })

  it('the limit is an option [R SIG-02, F-34]', async () => {
    const { port } = await appOn({ options: { bodyLimit: MESSAGE.length } })
    expect(await ask(port, PATH, { headers: headersOf(MESSAGE), body: MESSAGE })).toMatchObject(OURS)
    const longer = Buffer.concat([MESSAGE, Buffer.from(' ')])
    expect(await ask(port, PATH, { headers: headersOf(longer), body: longer })).toMatchObject({ status: 413 })
  })

  it('a body without a length and without chunks is an empty one [R SIG-02, F-34]', async () => {
    const { port } = await appOn()
    const wire = await dial(port)
    wire.write(head(PATH, signed(Buffer.alloc(0))))
    expect(await wire.answer()).toMatchObject(OURS)
  })

  it('a length that is too small cuts the body, and the rest is no request [R SIG-02, F-34]', async () => {
    const { port, counts } = await appOn()
    const wire = await dial(port)
    wire.write(head(PATH, { ...headersOf(MESSAGE), 'content-length': MESSAGE.length - 10 }), MESSAGE)
    expect(await wire.rest()).toMatch(/^HTTP\/1\.1 40[01] /)
    expect((await counts()).deliveries).toEqual({})
  })

  it('a length that is too large waits for the rest until the deadline [R SIG-02, F-34]', async () => {
    const { port, timers } = await appOn()
    const wire = await dial(port)
    wire.write(head(PATH, { ...headersOf(MESSAGE), 'content-length': MESSAGE.length + 1 }), MESSAGE)
    await timers.set(DEADLINE_MS)
    timers.pass(DEADLINE_MS)
    expect(await wire.answer()).toMatchObject({ status: 408 })
  })
})

describe('a slow body', () => {
  it('is answered 408 at the deadline, and the connection is closed [R SIG-02, F-37]', async () => {
    const { port, timers, counts, line } = await appOn()
    const wire = await dial(port)
    wire.write(head(PATH, { ...headersOf(MESSAGE), 'content-length': MESSAGE.length }), MESSAGE.subarray(0, 5))
    await timers.set(DEADLINE_MS)
    timers.pass(DEADLINE_MS - 1)
    expect(timers.waiting(DEADLINE_MS)).toBe(1)
    timers.pass(1)
    expect(await wire.answer()).toMatchObject({
      status: 408,
      body: '{"error":"timeout"}',
      headers: { connection: 'close', 'content-type': 'application/json' },
    })
    await wire.rest()
    expect((await counts()).deliveries).toEqual({})
    await line(({ about }) => about['reason'] === 'timeout')
  })

  it('that trickles is cut at the same moment [R SIG-02, F-37]', async () => {
    const { port, timers } = await appOn()
    const wire = await dial(port)
    wire.write(head(PATH, { ...headersOf(MESSAGE), 'content-length': MESSAGE.length }))
    await timers.set(DEADLINE_MS)
    for (let second = 0; second < 9; second++) {
      wire.write(MESSAGE.subarray(second, second + 1))
      timers.pass(1_000)
    }
    timers.pass(1_000)
    expect(await wire.answer()).toMatchObject({ status: 408 })
  })

  it('that came in time leaves no timer behind [R SIG-02, F-37]', async () => {
    const { port, timers } = await appOn()
    expect(await ask(port, PATH, { headers: headersOf(MESSAGE), body: MESSAGE })).toMatchObject(OURS)
    expect(timers.waiting(DEADLINE_MS)).toBe(0)
  })

  it('does not make a fresh delivery stale, nor a stale one fresh [R SIG-05, F-19]', async () => {
    const { port, timers, time } = await appOn()
    for (const [start, status] of [
      [299_000, 200],
      [-301_000, 401],
    ] as const) {
      const began = time.now
      time.now = began + start
      const wire = await dial(port)
      wire.write(head(PATH, { ...signed(MESSAGE), 'content-length': MESSAGE.length }), MESSAGE.subarray(0, 5))
      await timers.set(DEADLINE_MS)
      time.now += 5_000
      wire.write(MESSAGE.subarray(5))
      expect(await wire.answer()).toMatchObject({ status })
      time.now = began
    }
  })

  it('does not hold up another delivery [R DEL-04, F-37]', async () => {
    const { port, timers } = await appOn()
    const slow = await dial(port)
    slow.write(head(PATH, { ...headersOf(MESSAGE), 'content-length': MESSAGE.length }))
    await timers.set(DEADLINE_MS)
    expect(await ask(port, PATH, { headers: headersOf(MESSAGE), body: MESSAGE })).toMatchObject(OURS)
  })
})

describe('a caller who goes away', () => {
  it.each([
    ['closes', (end: { destroy(): void; resetAndDestroy(): void }) => end.destroy()],
    ['resets', (end: { destroy(): void; resetAndDestroy(): void }) => end.resetAndDestroy()],
  ])('and %s in the middle of the body leaves no row and no timer [R DEL-02, F-38]', async (_, leave) => {
    const { port, timers, counts, line } = await appOn()
    const wire = await dial(port)
    wire.write(head(PATH, { ...headersOf(MESSAGE), 'content-length': MESSAGE.length }), MESSAGE.subarray(0, 20))
    await timers.set(DEADLINE_MS)
    leave(wire.socket)
    await line(({ about }) => about['reason'] === 'aborted')
    expect((await counts()).deliveries).toEqual({})
    expect(timers.waiting(DEADLINE_MS)).toBe(0)
  })

  it('before the answer has come leaves the row, and the retry is a duplicate [R DEL-01, F-38]', async () => {
    let gate = () => {}
    const reached = new Promise<void>((resolve) => {
      gate = resolve
    })
    let land = () => {}
    const landed = new Promise<void>((resolve) => {
      land = resolve
    })
    const { port, line } = await appOn({
      around: (store) => ({
        ...store,
        async accept(...given) {
          const acceptance = await store.accept(...given)
          gate()
          await landed
          return acceptance
        },
      }),
    })
    const wire = await dial(port)
    wire.write(head(PATH, { ...headersOf(MESSAGE), 'content-length': MESSAGE.length }), MESSAGE)
    await reached
    wire.socket.resetAndDestroy()
    land()
    await line(({ message }) => message === 'delivery stored')
    expect(await ask(port, PATH, { headers: headersOf(MESSAGE), body: MESSAGE })).toMatchObject({
      status: 200,
      body: '{"status":"duplicate"}',
    })
  })
})

describe('a store that cannot write', () => {
  it('is answered 503 without a reason, logged, and accepts again once it can write [R DEL-02, F-50]', async () => {
    let full = true
    const { port, counts, warnings } = await appOn({
      around: (store) => ({
        ...store,
        accept: (delivery) => (full ? Promise.reject(new Error('SQLITE_FULL')) : store.accept(delivery)),
      }),
    })
    const post = () => ask(port, PATH, { headers: headersOf(MESSAGE), body: MESSAGE })
    expect(await post()).toMatchObject({
      status: 503,
      body: '{"error":"unavailable"}',
      headers: { 'content-type': 'application/json' },
    })
    expect((await counts()).deliveries).toEqual({})
    expect(warnings()).toMatchObject([{ level: 'error', about: { err: { message: 'SQLITE_FULL' } } }])
    full = false
    expect(await post()).toMatchObject(OURS)
  })
})

describe('an encoded body', () => {
  it.each(['gzip', 'br', 'deflate', 'gzip, gzip'])('is refused unread: %s [R SIG-02, F-35]', async (encoding) => {
    const { port, counts } = await appOn()
    const body = gzipSync(MESSAGE)
    const headers = { ...headersOf(body), 'content-encoding': encoding }
    expect(await ask(port, PATH, { headers, body })).toMatchObject({
      status: 415,
      body: '{"error":"unsupported_encoding"}',
      headers: { 'content-type': 'application/json' },
    })
    expect((await counts()).deliveries).toEqual({})
  })

  it('a bomb of a gigabyte stays packed [R SIG-02, F-35]', async () => {
    const { port, sockets } = await appOn()
    const bomb = gzipSync(Buffer.alloc(200_000_000))
    const headers = { ...headersOf(bomb), 'content-encoding': 'gzip' }
    expect(await ask(port, PATH, { headers, body: bomb })).toMatchObject({ status: 415 })
    expect(sockets[0]?.bytesRead).toBeLessThan(bomb.length + 2_000)
  })
})

describe('a malformed request', () => {
  const length = MESSAGE.length

  it.each<[string, string]>([
    ['a length and chunks', `Content-Length: ${length}\r\nTransfer-Encoding: chunked\r\n`],
    ['two lengths', `Content-Length: ${length}\r\nContent-Length: ${length + 1}\r\n`],
    ['the same length twice', `Content-Length: ${length}\r\nContent-Length: ${length}\r\n`],
    ['a length in words', 'Content-Length: many\r\n'],
    ['a negative length', 'Content-Length: -1\r\n'],
    ['a header over two lines', `Content-Length: ${length}\r\nX-Folded: a\r\n b\r\n`],
    ['a NUL in a header', `Content-Length: ${length}\r\nX-Nul: a\0b\r\n`],
    ['a space before the colon', `Content-Length : ${length}\r\n`],
    ['an odd transfer encoding', 'Transfer-Encoding: chunked, gzip\r\n'],
  ])('is refused by the platform: %s [R SIG-02, F-36]', async (_, lines) => {
    const { port, counts } = await appOn()
    const wire = await dial(port)
    const good = Object.entries(headersOf(MESSAGE)).map(([name, value]) => `${name}: ${value}\r\n`)
    wire.write(`POST ${PATH} HTTP/1.1\r\nHost: x\r\n${good.join('')}${lines}\r\n`, MESSAGE)
    expect(await wire.rest()).toMatch(/^HTTP\/1\.1 400 /)
    expect((await counts()).deliveries).toEqual({})
  })

  it('is refused by the platform: a header of 20 kB [R SIG-02, F-36]', async () => {
    const { port } = await appOn()
    const wire = await dial(port)
    wire.write(head(PATH, { 'x-long': 'x'.repeat(20_000) }))
    expect(await wire.rest()).toMatch(/^HTTP\/1\.1 431 /)
  })

  it('a signature that came in two header lines is refused [R SIG-08, F-2]', async () => {
    const { port } = await appOn()
    const wire = await dial(port)
    const again = `x-service-signature: ${signatureOf(MESSAGE)}\r\n\r\n`
    wire.write(
      head(PATH, { ...signed(MESSAGE), 'content-length': length }).replace(/\r\n\r\n$/, `\r\n${again}`),
      MESSAGE,
    )
    expect(await wire.answer()).toMatchObject({ status: 401, body: '{"error":"unauthorized"}' })
  })

  it('a signature in letters of latin1 is refused, and nothing breaks [R SIG-04, F-4]', async () => {
    const { port, warnings } = await appOn()
    const wire = await dial(port)
    const odd = { ...signed(MESSAGE), 'x-service-signature': 'sha256=@@', 'content-length': length }
    const [before, behind] = head(PATH, odd).split('@@') as [string, string]
    wire.write(before, Buffer.alloc(64, 0xe9), behind, MESSAGE)
    expect(await wire.answer()).toMatchObject({ status: 401 })
    expect(warnings()).toMatchObject([{ about: { reason: 'malformed' } }])
  })
})

describe('one connection', () => {
  it('serves many deliveries, good and bad, one after the other [R DEL-01]', async () => {
    const { port } = await appOn()
    const wire = await dial(port)
    const each = (delivery: string, changed: Record<string, string> = {}) => [
      head(PATH, { ...headersOf(MESSAGE, { delivery }), ...changed, 'content-length': length }),
      MESSAGE,
    ]
    const { length } = MESSAGE
    wire.write(...each('a'), ...each('b', { 'x-service-signature': 'x' }), ...each('a'))
    wire.write(...each('d', { 'content-encoding': 'gzip' }), ...each('a'))
    const statuses = []
    for (let answer = 0; answer < 5; answer++) statuses.push((await wire.answer()).status)
    expect(statuses).toEqual([200, 401, 200, 415, 200])
  })

  it('is told to continue if it asks before it sends [R SIG-02]', async () => {
    const { port } = await appOn()
    const wire = await dial(port)
    wire.write(head(PATH, { ...signed(MESSAGE), 'content-length': MESSAGE.length, expect: '100-continue' }))
    expect(await wire.answer()).toMatchObject({ status: 100 })
    wire.write(MESSAGE)
    expect(await wire.answer()).toMatchObject(OURS)
  })
})

function chunks(body: Buffer, size: number): (string | Buffer)[] {
  const parts: (string | Buffer)[] = []
  for (let at = 0; at < body.length; at += size) {
    const part = body.subarray(at, at + size)
    parts.push(`${part.length.toString(16)}\r\n`, part, '\r\n')
  }
  // Without the empty chunk at the end, more of the body is to come.
  if (body.length <= LIMIT) parts.push(...(size === 60_000 ? ['0\r\n\r\n'] : []))
  return parts
}
