import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type Server as HttpServer,
  type ServerResponse,
} from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { downloadFrom, type Network } from '../../../../src/bot/extras/comfort/media.ts'
import { downloadMedia, type DownloadOptions } from '../../../../src/bot/extras/comfort/comfort.ts'
import { reasonOf } from '../../../../src/base/errors.ts'
import { ASHA, openWorld } from '../../../support/virtual-world.ts'
import { CERTIFICATE, KEY } from './certificate.ts'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

const GOOD = '127.0.0.1'
const BAD = '127.0.0.2'

let server: Server
let port: number
let answers: Record<string, Answer>
/** The requests that came: the address that was connected to, path, headers. */
let requests: { at: string | undefined; path: string; authorization: string | undefined; encoding: unknown }[]
let resolved: string[]
/** The addresses that each host resolves to, call by call; the last ones repeat. */
let names: Record<string, string[][]>

beforeEach(async () => {
  answers = {}
  requests = []
  resolved = []
  names = { 'media.test': [[GOOD]], 'other.test': [[GOOD]] }
  const listener: RequestListener = (request, response) => {
    const path = request.url ?? ''
    const { authorization, 'accept-encoding': encoding } = request.headers
    requests.push({ at: request.socket.localAddress, path, authorization, encoding })
    answers[path]?.(request, response)
  }
  server = createServer({ cert: CERTIFICATE, key: KEY }, listener)
  await new Promise<void>((done) => server.listen(0, '0.0.0.0', done))
  port = (server.address() as AddressInfo).port
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

/** The server's address alone counts as the open internet. */
const network: Network = {
  ca: CERTIFICATE,
  allows: (address) => address === GOOD,
  async resolve(host) {
    resolved.push(host)
    const turns = names[host] ?? []
    const addresses = (turns.length > 1 ? turns.shift() : turns[0]) ?? []
    return addresses.map((address) => ({ address, family: 4 }))
  },
}
const at = (path: string, host = 'media.test') => ({ url: `https://${host}:${port}${path}` })
const download = (media: { url: string }, more: Partial<DownloadOptions> = {}) =>
  downloadFrom(network, media, { maxBytes: 1_000, timeout: '5s', ...more })
const refused = { code: 'media_refused' }
const unavailable = { code: 'media_unavailable' }

describe('a download', () => {
  it('is complete, with its size and the type that the host declares', async () => {
    answers['/a.jpg'] = (_, response) => response.setHeader('content-type', 'image/jpeg').end(Buffer.from([1, 2, 3]))
    expect(await download(at('/a.jpg'))).toEqual({ bytes: Buffer.from([1, 2, 3]), size: 3, type: 'image/jpeg' })
    expect(requests[0]?.encoding).toBe('identity')
  })

  it('is refused if the host declares too many bytes', async () => {
    answers['/a'] = (_, response) => response.setHeader('content-length', 1_001).flushHeaders()
    await expect(download(at('/a'))).rejects.toMatchObject(refused)
  })

  it('is refused if more bytes arrive than are allowed, whatever was declared, without waiting for the rest', async () => {
    answers['/a'] = (_, response) => void response.write(Buffer.alloc(1_001))
    answers['/b'] = (_, response) => response.end(Buffer.alloc(1_000))
    await expect(download(at('/a'))).rejects.toMatchObject(refused)
    expect((await download(at('/b'))).size).toBe(1_000)
  })

  it('is unavailable if it does not arrive in time, or stops in the middle', async () => {
    answers['/silent'] = () => {}
    answers['/slow'] = (_, response) => void response.write('begun')
    answers['/cut'] = (_, response) => {
      response.setHeader('content-length', 100).write('begun')
      setImmediate(() => response.destroy())
    }
    await expect(download(at('/silent'), { timeout: 50 })).rejects.toMatchObject(unavailable)
    await expect(download(at('/slow'), { timeout: 100 })).rejects.toMatchObject(unavailable)
    await expect(download(at('/cut'))).rejects.toMatchObject(unavailable)
  })

  it('is refused if the host switches to another protocol, without waiting', async () => {
    answers['/a'] = (_, response) => {
      response.socket?.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n')
    }
    await expect(download(at('/a'))).rejects.toMatchObject({ ...refused, message: 'media: the answer was 101' })
  })

  it('is aborted by the signal of the attempt that requests it', async () => {
    const attempt = new AbortController()
    const over = new Error('the attempt is over')
    answers['/silent'] = () => attempt.abort(over)
    await expect(download(at('/silent'), { signal: attempt.signal })).rejects.toBe(over)
  })

  it.for([
    [401, refused],
    [404, refused],
    [206, refused],
    [408, unavailable],
    [429, unavailable],
    [503, unavailable],
  ] as const)('fails if the answer is %i, by whether another attempt may help', async ([status, expected]) => {
    answers['/a'] = (_, response) => response.writeHead(status).end('<html>')
    await expect(download(at('/a'))).rejects.toMatchObject(expected)
  })

  it('is refused if it is compressed, because its bytes would differ', async () => {
    answers['/a'] = (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('x')
    await expect(download(at('/a'))).rejects.toMatchObject(refused)
  })

  it('fails without naming the address, which may contain a secret', async () => {
    answers['/secret-path?sig=s3cret'] = (_, response) => response.writeHead(404).end()
    const told = await download(at('/secret-path?sig=s3cret')).catch(reasonOf)
    answers['/secret-path?sig=s3cret'] = (_, response) => response.destroy()
    const cut = await download(at('/secret-path?sig=s3cret')).catch(reasonOf)
    expect(told).toBe('media: the answer was 404')
    for (const reason of [told, cut]) expect(reason).toEqual(expect.not.stringMatching(/secret|s3cret/))
  })
})

describe('an address in a payload', () => {
  it.for([
    'http://media.test/a',
    'ftp://media.test/a',
    'file:///etc/passwd',
    'https://user:pass@media.test/a',
    'no address',
    'https://127.0.0.2/a',
    'https://0x7f000002/a',
    'https://2130706434/a',
    'https://[::1]/a',
    'https://[::ffff:127.0.0.2]/a',
  ])('is not followed if it is %s', async (url) => {
    await expect(download({ url })).rejects.toMatchObject(refused)
    expect(resolved).toEqual([])
  })

  it('is not followed if its name resolves to a private address, even together with a public one', async () => {
    names['media.test'] = [[BAD]]
    names['other.test'] = [[GOOD, BAD]]
    await expect(download(at('/a'))).rejects.toMatchObject(refused)
    await expect(download(at('/a', 'other.test'))).rejects.toMatchObject(refused)
    expect(requests).toEqual([])
  })

  it('is connected to exactly as checked, even if its name resolves to another address the next time', async () => {
    names['media.test'] = [[GOOD], [BAD]]
    answers['/a'] = (_, response) => response.end('x')
    await download(at('/a'))
    expect(resolved).toEqual(['media.test'])
    expect(requests.map((one) => one.at)).toEqual([GOOD])
  })

  it('is not requested over a connection that was opened before', async () => {
    answers['/a'] = (_, response) => response.end('x')
    await download(at('/a'))
    names['media.test'] = [[BAD]]
    await expect(download(at('/a'))).rejects.toMatchObject(refused)
  })

  it('is refused by the real function if it names this machine', async () => {
    await expect(downloadMedia(at('/a', 'localhost'), { maxBytes: 10 })).rejects.toMatchObject(refused)
    await expect(downloadMedia(at('/a', GOOD), { maxBytes: 10 })).rejects.toMatchObject(refused)
    expect(requests).toEqual([])
  })

  it('is unavailable if its name cannot be resolved', async () => {
    const broken: Network = { ...network, resolve: () => Promise.reject(new Error('getaddrinfo ENOTFOUND')) }
    await expect(downloadFrom(broken, at('/a'), { maxBytes: 10 })).rejects.toMatchObject(unavailable)
  })
})

describe('a redirect', () => {
  const to = (location: string) => (_: IncomingMessage, response: ServerResponse) =>
    response.writeHead(302, { location }).end()

  it('is followed, relative ones too, at most three times', async () => {
    answers['/1'] = to('/2')
    answers['/2'] = to(at('/3', 'other.test').url)
    answers['/3'] = to('/4')
    answers['/4'] = (_, response) => response.end('there')
    expect((await download(at('/1'))).bytes.toString()).toBe('there')
    answers['/0'] = to('/1')
    await expect(download(at('/0'))).rejects.toMatchObject(refused)
  })

  it.for(['http://media.test/b', 'https://127.0.0.2/b', 'https://inside.test/b', 'file:///etc/passwd', 'https://'])(
    'is checked like the first address: not to %s',
    async (location) => {
      names['inside.test'] = [[BAD]]
      answers['/a'] = to(location)
      await expect(download(at('/a'))).rejects.toMatchObject(refused)
      expect(requests).toHaveLength(1)
    },
  )
})

describe('the token', () => {
  it('is sent only to the hosts that the app named, and not with a redirect', async () => {
    const token = { value: 't0ken', hosts: [`media.test:${port}`] }
    answers['/a'] = (_, response) => response.writeHead(302, { location: at('/b', 'other.test').url }).end()
    answers['/b'] = (_, response) => response.end('x')
    await download(at('/a'), { token })
    await download(at('/b', 'other.test'), { token })
    // An attacker can register a host that ends like a named one.
    await download(at('/b'), { token: { ...token, hosts: [`dia.test:${port}`] } })
    expect(requests.map(({ authorization }) => authorization)).toEqual([
      'Bearer t0ken',
      undefined,
      undefined,
      undefined,
    ])
  })

  it('is sent to a host in any spelling', async () => {
    answers['/a'] = (_, response) => response.end('x')
    await download(at('/a'), { token: { value: 't0ken', hosts: [`Media.TEST:${port}`] } })
    expect(requests[0]?.authorization).toBe('Bearer t0ken')
  })

  it('is not sent if it is not set', async () => {
    answers['/a'] = (_, response) => response.end('x')
    await download(at('/a'))
    expect(requests[0]?.authorization).toBeUndefined()
  })
})

it('a download without a sensible limit is refused', async () => {
  for (const maxBytes of [0, -1, Number.NaN, Infinity, undefined])
    await expect(download(at('/a'), { maxBytes: maxBytes as number })).rejects.toMatchObject({
      code: 'options_invalid',
    })
})

it('a picture with an address in a private network is not fetched, and its message is given up at once', async () => {
  const attempts: number[] = []
  await using world = await openWorld((bot) => {
    bot.received('image', async (ctx) => {
      attempts.push(ctx.attempt)
      await downloadMedia(ctx.message.media, { maxBytes: 1_000, signal: ctx.signal })
    })
    bot.onDead((error, ctx) => ctx.reply((error as { code: string }).code))
  })
  const media = { kind: 'image', url: 'https://169.254.169.254/latest/meta-data' }
  await world.control('POST', `customers/${ASHA}/messages`, { media })
  await world.until(async () => (await world.replies()).length === 1)
  expect(await world.replies()).toEqual(['media_refused'])
  expect(attempts).toEqual([1])
})

describe('an emulator on this machine', () => {
  let emulator: HttpServer
  let address: string
  beforeEach(async () => {
    emulator = createHttpServer((_, response) => response.setHeader('content-type', 'image/png').end('png'))
    await new Promise<void>((done) => emulator.listen(0, '127.0.0.1', done))
    address = `http://127.0.0.1:${(emulator.address() as AddressInfo).port}`
  })
  afterEach(() => {
    vi.unstubAllEnvs()
    emulator.closeAllConnections()
    emulator.close()
  })
  const from = (url: string, more: Partial<DownloadOptions> = {}) => downloadMedia({ url }, { maxBytes: 10, ...more })

  it('serves its media over http, if it is the service that the app runs against', async () => {
    const got = { bytes: Buffer.from('png'), size: 3, type: 'image/png' }
    expect(await from(`${address}/media/1.png`, { baseUrl: address })).toEqual(got)
    vi.stubEnv('SWITCHHOOK_BASE_URL', `${address}/api/v2`)
    expect(await from(`${address}/media/1.png`)).toEqual(got)
  })

  it('is not reached by an app that runs against the service, nor at any other address of this machine', async () => {
    vi.stubEnv('SWITCHHOOK_BASE_URL', undefined)
    await expect(from(`${address}/1.png`)).rejects.toMatchObject(refused)
    for (const baseUrl of ['https://service.example', 'http://127.0.0.1:1', 'http://10.0.0.1', 'no address'])
      await expect(from(`${address}/1.png`, { baseUrl })).rejects.toMatchObject(refused)
  })

  it('is not reached by a redirect from elsewhere', async () => {
    answers['/away'] = (_, response) => response.writeHead(302, { location: `${address}/media/1.png` }).end()
    await expect(download(at('/away'), { baseUrl: address })).rejects.toMatchObject(refused)
  })

  it('obeys the limit of bytes', async () => {
    await expect(from(`${address}/1.png`, { baseUrl: address, maxBytes: 2 })).rejects.toMatchObject(refused)
  })
})
