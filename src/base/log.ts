/** What the library writes to; pino, console and most loggers fit. No phone number and no text above debug. */
export interface Log {
  debug(about: unknown, message?: string): void
  info(about: unknown, message?: string): void
  warn(about: unknown, message?: string): void
  error(about: unknown, message?: string): void
}

const nothing = () => {}

export const silent: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing }

/** The same log, with what every line of it is about. */
export function about(log: Log, bound: Readonly<Record<string, unknown>>): Log {
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
export function harmless(log: Log): Log {
  const write = (level: keyof Log) => (about: unknown, message?: string) => {
    try {
      log[level](about, message)
    } catch {
      // Nobody is left to tell.
    }
  }
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
}
