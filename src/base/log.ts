import type { Clock } from './clock.ts'

/**
 * The log that the library writes to. pino, console and most loggers fit. Above debug it contains no phone number and
 * no whole text of a message. docs/state-and-notifications.md has the rule for errors.
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

/** A logger that throws, such as one whose worker has ended, must neither change an answer nor stop a lane. */
export function safeLog(log: Parent): Log {
  const write = (level: keyof Log) => (about: unknown, message?: string) => {
    try {
      log[level](about, message)
    } catch {
      // There is no other place to report it.
    }
  }
  const safe: Parent = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
  if (typeof log.child === 'function') {
    const child = log.child.bind(log)
    safe.child = (bound) => safeLog(child(bound))
  }
  return safe
}

const THROTTLE_MS = 10_000

/**
 * The first line of a kind at once, those of the next ten seconds as a count: no sender can flood the log. `about`: a
 * function of what is costly to find out, called if the line is written.
 */
export type LogThrottle = (
  level: 'info' | 'warn' | 'error',
  kind: string,
  message: string,
  about?: object | (() => object),
) => void

export function createLogThrottle(log: Log, clock: Clock): LogThrottle {
  const kinds = new Map<string, { since: number; suppressed: number }>()
  return (level, kind, message, about = {}) => {
    const now = clock.wall()
    const last = kinds.get(kind)
    // In both directions, because a clock that was set back must not prolong the silence.
    if (last && Math.abs(now - last.since) < THROTTLE_MS) {
      last.suppressed++
      return
    }
    const shown = typeof about === 'function' ? about() : about
    log[level]({ ...shown, ...(last && last.suppressed > 0 && { more: last.suppressed }) }, message)
    kinds.set(kind, { since: now, suppressed: 0 })
  }
}
