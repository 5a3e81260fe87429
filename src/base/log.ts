/** What the library writes to; pino, console and most loggers fit. No phone number and no text above debug. */
export interface Log {
  debug(about: unknown, message?: string): void
  info(about: unknown, message?: string): void
  warn(about: unknown, message?: string): void
  error(about: unknown, message?: string): void
}

const nothing = () => {}

export const silent: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing }

/** A logger that makes children, as pino does. */
interface Parent extends Log {
  child?(bound: Readonly<Record<string, unknown>>): Log
}

/** The same log, with what every line of it is about: a child where the logger makes children. */
export function about(log: Parent, bound: Readonly<Record<string, unknown>>): Log {
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
export function harmless(log: Parent): Log {
  const write = (level: keyof Log) => (about: unknown, message?: string) => {
    try {
      log[level](about, message)
    } catch {
      // Nobody is left to tell.
    }
  }
  const safe: Parent = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
  if (typeof log.child === 'function') {
    const child = log.child.bind(log)
    safe.child = (bound) => harmless(child(bound))
  }
  return safe
}
