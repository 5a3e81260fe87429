import { EXIT } from './exit.ts'

/**
 * Resolves with the exit code when the process is told to stop. A second signal finds no listener any more
 * and ends the process at once.
 */
export function untilStopped(): Promise<number> {
  return new Promise((resolve) => {
    const stop = (code: number) => {
      process.off('SIGINT', interrupted)
      process.off('SIGTERM', terminated)
      resolve(code)
    }
    const interrupted = () => stop(EXIT.interrupted)
    const terminated = () => stop(EXIT.done)
    process.on('SIGINT', interrupted)
    process.on('SIGTERM', terminated)
  })
}
