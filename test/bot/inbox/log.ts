import { inspect } from 'node:util'
import type { Log } from '../../../src/base/log.ts'

export interface Line {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly about: Record<string, unknown>
  readonly message: string
}

const COUNTED = /(deliveries|requests) in a row|has had a right signature/

/** A log that remembers its lines, and can be waited on. */
export function recordedLog() {
  const lines: Line[] = []
  const waiting = new Set<() => void>()
  const write = (level: Line['level']) => (about: unknown, message?: string) => {
    lines.push({ level, about: about as Record<string, unknown>, message: message ?? '' })
    for (const look of waiting) look()
  }
  const log: Log = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
  return {
    log,
    lines,
    /** Warnings and errors, without the counts of failures. */
    warnings: () =>
      lines.filter(({ level, message }) => (level === 'warn' || level === 'error') && !COUNTED.test(message)),
    /** The lines of the counts of failures. */
    failureCounts: () => lines.filter(({ message }) => COUNTED.test(message)),
    text: () => lines.map((line) => inspect(line, { depth: 10 })).join('\n'),
    /** Resolves with the first line that fits, even if it was written before. */
    line(fits: (line: Line) => boolean): Promise<Line> {
      return new Promise((resolve) => {
        const look = () => {
          const found = lines.find(fits)
          if (!found) return
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        look()
      })
    },
  }
}
