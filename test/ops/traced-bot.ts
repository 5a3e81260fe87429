/** A bot as a separate process, which receives or works as the environment says, and reports each span to its parent. */
import { flushCompileCache } from 'node:module'
import { context } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { BasicTracerProvider, type ReadableSpan, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { createBot } from 'switchhook'
import { serve } from 'switchhook/node'
import { traceBot } from 'switchhook/tracing'
import { tellParent } from '../support/tell-parent.ts'

/** A span as the test looks at it. */
export interface Told {
  readonly name: string
  readonly trace: string
  readonly id: string
  readonly parent: string | undefined
}

const exporter = {
  export(spans: ReadableSpan[], done: (result: { code: number }) => void) {
    for (const span of spans) tellParent(told(span))
    done({ code: 0 })
  },
  async shutdown() {},
}

function told(span: ReadableSpan): Told {
  const { traceId, spanId } = span.spanContext()
  return { name: span.name, trace: traceId, id: spanId, parent: span.parentSpanContext?.spanId }
}

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
const bot = createBot({ logger: false })
traceBot(bot, { provider: new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }) })
bot.hears('hi', (ctx) => ctx.reply('hello'))
await serve(bot, { port: Number(process.argv[2]) })
flushCompileCache()
tellParent('listening')
process.once('disconnect', () => process.exit())
