import { Writable } from 'node:stream'
import { Console } from 'node:console'
import bunyan from 'bunyan'
import log4js from 'log4js'
import { pino } from 'pino'
import { afterEach, describe, expect, it, vi } from 'vitest'
import winston from 'winston'
import { childLog, type Log, safeLog } from '../../src/base/log.ts'
import { turn } from '../bot/lanes/fake-lanes.ts'

/** Each logger as its documentation makes it, with the lines that it writes. */
const LOGGERS: Readonly<Record<string, (stream: Writable) => Log>> = {
  pino: (stream) => pino({ level: 'debug' }, stream),
  bunyan: (stream) => bunyan.createLogger({ name: 'shop', streams: [{ level: 'debug', stream }] }),
  'bunyan with its serializers': (stream) =>
    bunyan.createLogger({ name: 'shop', streams: [{ level: 'debug', stream }], serializers: bunyan.stdSerializers }),
  winston: (stream) => winstonTo(stream, winston.format.json()),
  'winston with readable lines': (stream) =>
    winstonTo(
      stream,
      winston.format.printf(({ level, message, ...rest }) => `${level} ${String(message)} ${JSON.stringify(rest)}`),
    ),
  'winston itself': (stream) => {
    winston.configure({ level: 'debug', transports: [new winston.transports.Stream({ stream })] })
    return winston
  },
  log4js(stream) {
    const write = { configure: () => (event: { data: unknown[] }) => new Console(stream).log(...event.data) }
    log4js.configure({
      appenders: { lines: { type: write } },
      categories: { default: { appenders: ['lines'], level: 'debug' } },
    })
    return log4js.getLogger()
  },
  console: (stream) => new Console(stream, stream),
}

function winstonTo(stream: Writable, format: winston.Logform.Format): Log {
  return winston.createLogger({ level: 'debug', format, transports: [new winston.transports.Stream({ stream })] })
}

function stage(name: string) {
  let text = ''
  const stream = new Writable({
    write(chunk, _, done) {
      text += String(chunk)
      done()
    },
  })
  return { log: safeLog((LOGGERS[name] as (stream: Writable) => Log)(stream)), text: () => text }
}

describe.each(Object.keys(LOGGERS))('the logger %s', (name) => {
  it('writes the message and the members of each line', async () => {
    const { log, text } = stage(name)
    for (const level of ['debug', 'info', 'warn', 'error'] as const)
      log[level]({ delivery: `d-${level}` }, `a ${level}`)
    await turn()
    for (const level of ['debug', 'info', 'warn', 'error'])
      for (const part of [`d-${level}`, `a ${level}`]) expect(text()).toContain(part)
    expect(text()).not.toContain('[object Object]')
  })

  it('writes an error with its text, whether it is an error or the redacted one of a handler', async () => {
    const { log, text } = stage(name)
    log.error({ err: new TypeError('the disk is full') }, 'not stored')
    log.error(
      { err: { name: 'RangeError', message: 'no such shop', stack: 'RangeError: no such shop\n    at x' } },
      'failed',
    )
    await turn()
    for (const part of ['not stored', 'the disk is full', 'failed', 'RangeError', 'no such shop'])
      expect(text()).toContain(part)
  })

  it('writes the lines of a handler, with the members that each of them has', async () => {
    const { log, text } = stage(name)
    const bound = childLog(log, { delivery: 'd-1', attempt: 2 })
    bound.info({ order: 7781 }, 'an order')
    bound.info('only a text')
    await turn()
    for (const part of ['d-1', '7781', 'an order', 'only a text']) expect(text()).toContain(part)
    expect(text()).not.toContain('[object Object]')
  })
})

describe('a logger that fails', () => {
  afterEach(() => void vi.restoreAllMocks())

  const stderr = () => {
    const lines: string[] = []
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0)
    return lines
  }
  const logThat = (write: () => unknown): Log => ({ debug: write, info: write, warn: write, error: write })

  it('is reported once on stderr if it rejects, and ends no process', async () => {
    const lines = stderr()
    const rejected: unknown[] = []
    const onRejection = (reason: unknown) => void rejected.push(reason)
    process.on('unhandledRejection', onRejection)
    const log = safeLog(logThat(async () => Promise.reject(new Error('no line left'))))
    for (let line = 0; line < 3; line++) log.info({}, 'started')
    childLog(log, { delivery: 'd-1' }).error({}, 'failed')
    await turn()
    process.off('unhandledRejection', onRejection)
    expect(rejected).toEqual([])
    expect(lines).toEqual(['switchhook: the logger failed, and its lines may be missing: no line left\n'])
  })

  it.each([
    ['an Error', new Error('no line left')],
    ['null', null],
    ['a proxy that throws', new Proxy({}, { get: () => expect.unreachable() })],
  ])('is reported once on stderr if it throws %s', (_, thrown) => {
    const lines = stderr()
    const log = safeLog(
      logThat(() => {
        throw thrown
      }),
    )
    for (let line = 0; line < 3; line++) log.warn({ err: new Error('x') }, 'failed')
    expect(lines).toHaveLength(1)
  })

  it('gets an error as texts if it could not read the error itself', () => {
    const lines = stderr()
    const written: unknown[] = []
    const keep = (about: unknown) => void written.push(JSON.parse(JSON.stringify(about)))
    const unreadable = { message: 'no shop', toJSON: () => expect.unreachable() }
    safeLog(logThat(keep as () => unknown)).error({ err: unreadable, hook: 'handled' }, 'a hook failed')
    expect(written).toEqual([{ err: { name: 'object', message: 'no shop' }, hook: 'handled' }])
    expect(lines).toHaveLength(1)
  })

  it('whose child cannot be made still writes the members of the child', () => {
    stderr()
    const written: unknown[] = []
    const keep = (about: unknown) => void written.push(about)
    const child = () => {
      throw new Error('no child')
    }
    childLog(safeLog({ ...logThat(keep as () => unknown), child }), { delivery: 'd-1' }).info({ order: 7 }, 'x')
    expect(written).toEqual([{ delivery: 'd-1', order: 7 }])
  })
})
