import { describe, expect, it } from 'vitest'
import { headersOf, MESSAGE } from '../signing.ts'
import { appOn, PATH } from './hosts.ts'
import { dial, head } from './http.ts'

const LIMIT = 1_048_576

const open = () => appOn((app, hook) => app.use(PATH, hook))

it('an endless upload is not read to its end, so memory stays flat [R SIG-02, F-34]', async () => {
  const { port, sockets } = await open()
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

describe('a malformed request', () => {
  const length = MESSAGE.length

  it.each<[string, string]>([
    ['a length and chunks', `Content-Length: ${length}\r\nTransfer-Encoding: chunked\r\n`],
    ['two lengths', `Content-Length: ${length}\r\nContent-Length: ${length + 1}\r\n`],
  ])('is refused by the platform: %s [R SIG-02, F-36]', async (_, lines) => {
    const { port, counts } = await open()
    const wire = await dial(port)
    const good = Object.entries(headersOf(MESSAGE)).map(([name, value]) => `${name}: ${value}\r\n`)
    wire.write(`POST ${PATH} HTTP/1.1\r\nHost: x\r\n${good.join('')}${lines}\r\n`, MESSAGE)
    expect(await wire.rest()).toMatch(/^HTTP\/1\.1 400 /)
    expect((await counts()).deliveries).toEqual({})
  })
})
