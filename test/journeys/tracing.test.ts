import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { traceBot } from '../../src/features/tracing/tracing.ts'
import { openRoles } from '../support/roles.ts'
import { ASHA, openWorld } from '../support/world.ts'

beforeAll(() => void context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable()))
afterAll(() => context.disable())

/** A tracer provider with the spans that have ended, as an SDK with an exporter has them. */
function recording() {
  const exporter = new InMemorySpanExporter()
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  const spans = (name = ''): ReadableSpan[] => exporter.getFinishedSpans().filter((span) => span.name.startsWith(name))
  return { provider, spans }
}

const parentOf = (span: ReadableSpan | undefined) => span?.parentSpanContext?.spanId
const idOf = (span: ReadableSpan | undefined) => span?.spanContext().spanId

describe('a trace', () => {
  it('is one for a delivery that one process received and another handled and answered', async () => {
    const processes = { receive: recording(), work: recording() }
    await using roles = await openRoles((bot, role) => {
      traceBot(bot, { provider: processes[role].provider })
      bot.hears('hi', async (ctx) => void (await ctx.reply('hello')))
    })
    const { deliveryIds } = await roles.world.emulator.customer(ASHA).says('hi')
    await roles.work()
    await roles.world.until(() => processes.work.spans('attempt message.received').length === 1)
    const [receive] = processes.receive.spans('receive message.received')
    const [ingest] = processes.receive.spans('ingest message.received')
    const [attempt] = processes.work.spans('attempt message.received')
    const [send] = processes.work.spans('send default')
    expect(new Set([receive, ingest, attempt, send].map((span) => span?.spanContext().traceId)).size).toBe(1)
    expect([receive, ingest, attempt, send].map(parentOf)).toEqual([
      undefined,
      idOf(receive),
      idOf(receive),
      idOf(attempt),
    ])
    expect([receive, ingest, attempt, send].map((span) => span?.kind)).toEqual([
      SpanKind.CONSUMER,
      SpanKind.INTERNAL,
      SpanKind.CONSUMER,
      SpanKind.CLIENT,
    ])
    const message = {
      'messaging.system': 'switchhook',
      'messaging.destination.name': 'message.received',
      'messaging.message.id': deliveryIds[0],
      'switchhook.subscription': 'default',
    }
    expect(receive?.attributes).toEqual({
      ...message,
      'messaging.operation.name': 'receive',
      'messaging.operation.type': 'receive',
      'http.response.status_code': 200,
    })
    expect(attempt?.attributes).toEqual({
      ...message,
      'messaging.operation.name': 'attempt',
      'messaging.operation.type': 'process',
      'switchhook.number': 'default',
      'switchhook.route': 'hears:hi',
      'switchhook.attempt': 1,
      'switchhook.outcome': 'done',
    })
    expect(send?.attributes).toMatchObject({
      'messaging.operation.type': 'send',
      'messaging.message.id': expect.any(String) as unknown,
      'switchhook.delivery': deliveryIds[0],
      'switchhook.outcome': 'accepted',
    })
  })

  it('is named by its lines of the log, those of its handlers and of its sends among them', async () => {
    const { provider, spans } = recording()
    await using world = await openWorld((bot) => {
      traceBot(bot, { provider })
      bot.otherwise(async (ctx) => {
        ctx.log.info({}, 'a line of the handler')
        if (ctx.attempt === 1) throw new Error('once')
        await ctx.reply('hello')
      })
    })
    await world.emulator.customer(ASHA).says('hi')
    const traceOf = (line: string) =>
      world.lines.flatMap(({ message, about }) =>
        message === line ? [(about as { readonly trace_id?: string }).trace_id] : [],
      )
    await world.until(() => traceOf('send accepted').length === 1)
    const trace_id = spans('receive')[0]?.spanContext().traceId
    expect(trace_id).toMatch(/^[0-9a-f]{32}$/)
    for (const line of ['delivery stored', 'a handler failed; the delivery is retried', 'send accepted'])
      expect(traceOf(line), line).toEqual([trace_id])
    expect(traceOf('a line of the handler')).toEqual([trace_id, trace_id])
  })

  it('has each rerun, which names the previous failed attempt, with an error that identifies nobody [F-85]', async () => {
    const { provider, spans } = recording()
    await using world = await openWorld((bot) => {
      traceBot(bot, { provider })
      bot.otherwise((ctx) => {
        if (ctx.attempt < 3) throw new Error(`no order of ${ASHA}`)
      })
    })
    await world.emulator.customer(ASHA).says('hi')
    await world.until(() => spans('attempt').length === 3)
    const [first, second, third] = spans('attempt')
    expect(new Set(spans().map((span) => span.spanContext().traceId)).size).toBe(1)
    expect([first, second, third].map((span) => span?.links.map((link) => link.context.spanId))).toEqual([
      [],
      [idOf(first)],
      [idOf(second)],
    ])
    expect(first?.status.code).toBe(SpanStatusCode.ERROR)
    expect(third?.status.code).toBe(SpanStatusCode.UNSET)
    expect(JSON.stringify([first?.status, first?.events, first?.attributes])).not.toContain(ASHA)
    expect(first?.events[0]?.attributes?.['exception.stacktrace']).toContain('tracing.test.ts')
  })

  it('is not begun, and not stored, if no SDK is registered', async () => {
    await using world = await openWorld((bot) => {
      traceBot(bot)
      bot.otherwise(async (ctx) => void (await ctx.reply(trace.getActiveSpan() ? 'traced' : 'not traced')))
    })
    await world.emulator.customer(ASHA).says('hi')
    await world.until(async () => (await world.replies()).length === 1)
    expect(await world.replies()).toEqual(['not traced'])
    expect(await world.rows()).not.toMatch(/00-[0-9a-f]{32}-[0-9a-f]{16}/)
  })
})
