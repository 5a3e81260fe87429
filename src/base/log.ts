import type { Clock } from './clock.ts'
import { isA, readError, reasonOf } from './errors.ts'
import { isRecord } from './value.ts'

/**
 * The log that the library writes to. pino, winston, bunyan, log4js, console and most loggers fit. Above debug it
 * contains no phone number and no whole text of a message. docs/state-and-notifications.md has the rule for errors.
 */
export interface Log {
  debug(about: unknown, message?: string): void
  info(about: unknown, message?: string): void
  warn(about: unknown, message?: string): void
  error(about: unknown, message?: string): void
}

const nothing = () => {}

export const silent: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing }

interface Parent extends Log {
  child?(bound: Readonly<Record<string, unknown>>): Log
}

export function childLog(log: Parent, bound: Readonly<Record<string, unknown>>): Log {
  if (log.child) return log.child(bound)
  const merge = (more: unknown) =>
    typeof more === 'object' && more !== null ? { ...bound, ...more } : { ...bound, about: more }
  return {
    debug: (more, message) => log.debug(merge(more), message),
    info: (more, message) => log.info(merge(more), message),
    warn: (more, message) => log.warn(merge(more), message),
    error: (more, message) => log.error(merge(more), message),
  }
}

/** Makes a log that never throws. The first error of the app's logger is written to stderr. */
export function safeLog(log: Parent, complain = complainOnce()): Log {
  const write = writerOf(log)
  const at = (level: keyof Log) => (about: unknown, message?: string) => {
    const attempt = (shown: unknown) => {
      try {
        const result: unknown = write(level, shown, message)
        // A logger may be async, and an unhandled rejection would end the process.
        if (result !== undefined) Promise.resolve(result).catch(complain)
        return true
      } catch (error) {
        complain(error)
        return false
      }
    }
    // The logger may have failed on the error in the line: log its texts instead.
    return void (attempt(about) || (hasError(about) && attempt(withTexts(about))))
  }
  const safe: Parent = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
  const { child } = log
  if (typeof child !== 'function') return safe
  const boundTo = (bound: Readonly<Record<string, unknown>>) => {
    try {
      return safeLog(child.call(log, bound), complain)
    } catch (error) {
      complain(error)
      return childLog(safe, bound)
    }
  }
  return { ...safe, child: boundTo } as Parent
}

type Writer = (level: keyof Log, about: unknown, message: string | undefined) => unknown

/** winston takes the message first. Both winston and bunyan may print an error without its texts. */
function writerOf(log: Parent): Writer {
  const isWinston = 'transports' in log
  if (!isWinston && !('addStream' in log)) return (level, about, message) => log[level](about, message)
  return (level, about, message) => {
    const shown = hasError(about) && isA(about.err, Error) ? withTexts(about) : about
    if (!isWinston || message === undefined) return log[level](shown, message)
    return log[level](message, (isRecord(shown) ? shown : { about: shown }) as never)
  }
}

function hasError(about: unknown): about is { readonly err: unknown } {
  return isRecord(about) && about['err'] !== undefined
}

function withTexts(about: { readonly err: unknown }): object {
  const { name, message, stack, code } = readError(about.err)
  return { ...about, err: { name, message, ...(stack && { stack }), ...(code && { code }) } }
}

function complainOnce(): (error: unknown) => void {
  let isReported = false
  return (error) => {
    if (!isReported)
      process.stderr.write(`switchhook: the logger failed, and its lines may be missing: ${reasonOf(error)}\n`)
    isReported = true
  }
}

const THROTTLE_MS = 10_000

/**
 * Writes the first line of a kind at once, and those of the next ten seconds as a count, so that no sender can flood
 * the log. `about` computes costly details; it is called only if the line is written. Returns false if the line was
 * only counted.
 */
export type LogThrottle = (
  level: 'info' | 'warn' | 'error',
  kind: string,
  message: string,
  about?: object | (() => object),
) => boolean

export function createLogThrottle(log: Log, clock: Clock): LogThrottle {
  const kinds = new Map<string, { since: number; suppressed: number }>()
  return (level, kind, message, about = {}) => {
    const now = clock.wall()
    const last = kinds.get(kind)
    // Compare in both directions: a clock that was set back must not suppress lines for longer.
    if (last && Math.abs(now - last.since) < THROTTLE_MS) {
      last.suppressed++
      return false
    }
    const shown = typeof about === 'function' ? about() : about
    log[level]({ ...shown, ...(last && last.suppressed > 0 && { more: last.suppressed }) }, message)
    kinds.set(kind, { since: now, suppressed: 0 })
    return true
  }
}
