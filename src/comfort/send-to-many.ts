import { type Content, type Sender, type SendOptions, SwitchhookError, type Template } from '../index.ts'

/** One message to each of many customers. The functions are called for one row after the other. */
export interface ToMany<R> {
  /** The customer's phone digits. */
  to: (row: R) => string
  /** Names the subject of this row's message. A key that was sent before is not sent again, so a rerun continues. */
  key: (row: R) => SendOptions['key']
  content: (row: R) => Content | Template
  /** The template for customers whose window is closed. */
  outsideWindow?: (row: R) => Template
  /** The most messages per minute. */
  perMinute: number
  /** Stops before the next row. */
  signal?: AbortSignal
}

export interface SentToMany {
  /** Accepted by the service, including those of an earlier run. */
  sent: number
  /** Accepted as a template, because the window was closed. */
  fellBack: number
  /** Neither accepted nor refused yet. The outbox continues. */
  stored: number
  /** Not sent, by reason: `stopped` for customers who wrote STOP, if the sender comes from `heedStop`. */
  skipped: Record<string, number>
  /** Refused, by the error's code. */
  refused: Record<string, number>
  /** True if `signal` was aborted before the last row. */
  stopped: boolean
}

const MINUTE_MS = 60_000
/** These errors are not about a single row. All other rows would fail too. */
const NOT_ABOUT_A_ROW = ['not_started', 'no_access_token', 'options_invalid', 'store_unavailable']

/**
 * Sends a message to each of many customers, one after the other and at most `perMinute`. After a crash or a stop, call
 * it again with the same keys: rows that were sent are skipped quickly, and nobody gets a message twice.
 *
 *     await sendToMany(heedStop(bot), rows, { to: (row) => row.phone, key: (row) => ['sale', 7, row.phone], … })
 *
 * @throws SwitchhookError `options_invalid`, and errors that are not about a single row, such as `not_started`.
 */
export async function sendToMany<R>(
  sender: Pick<Sender, 'to'>,
  rows: Iterable<R> | AsyncIterable<R>,
  o: ToMany<R>,
): Promise<SentToMany> {
  if (!(o.perMinute > 0))
    throw new SwitchhookError('options_invalid', 'sendToMany: perMinute: expected a number above 0')
  const report: SentToMany = { sent: 0, fellBack: 0, stored: 0, skipped: {}, refused: {}, stopped: false }
  let wait = 0
  for await (const row of rows) {
    if (wait > 0) await pause(wait, o.signal)
    if (o.signal?.aborted) return { ...report, stopped: true }
    wait = (await sendOne(sender, row, o, report)) ? MINUTE_MS / o.perMinute : 0
  }
  return report
}

/** Resolves with false if no request was made to the service. */
async function sendOne<R>(sender: Pick<Sender, 'to'>, row: R, o: ToMany<R>, report: SentToMany): Promise<boolean> {
  const content = o.content(row)
  try {
    const outsideWindow = o.outsideWindow && { outsideWindow: o.outsideWindow(row) }
    const result = await sender.to(o.to(row)).send(content, { key: o.key(row), ...outsideWindow })
    if (result.via === 'skipped') {
      count(report.skipped, result.why)
      return false
    }
    if (result.via === 'stored') report.stored++
    else if (result.via === 'template' && !isTemplate(content)) report.fellBack++
    else report.sent++
    return result.via === 'stored' || !result.replayed
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
    if (code === undefined || NOT_ABOUT_A_ROW.includes(code)) throw error
    count(report.refused, code)
    return true
  }
}

function isTemplate(content: Content | Template): boolean {
  return typeof content === 'object' && content.kind === 'template'
}

function count(by: Record<string, number>, name: string): void {
  by[name] = (by[name] ?? 0) + 1
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal?.addEventListener('abort', end)
    if (signal?.aborted) end()
  })
}
