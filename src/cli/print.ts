import { once } from 'node:events'

/**
 * Writes a line of many to stdout, no faster than somebody reads: else all of them would lie in memory, and that the
 * reader has gone would be noticed at the end alone.
 */
export async function print(line: string): Promise<void> {
  if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain')
}
