import { EMULATOR_CLOCK_OFFSET } from '../contract/index.ts'
import type { Paths } from './data-options.ts'
import type { Settings } from './options.ts'

export function mappedPaths(facts: Paths): Record<string, Record<string, string | string[]>> {
  const paths = (of: Paths[string]) =>
    Object.entries(of).flatMap(([fact, source]): [string, string | string[]][] =>
      typeof source === 'function' ? [] : [[fact, typeof source === 'string' ? source : [...source]]],
    )
  return Object.fromEntries(Object.entries(facts).map(([event, of]) => [event, Object.fromEntries(paths(of))]))
}

/** How long the bot waits for an emulator, which answers at once. */
const EMULATOR_TIMEOUT_MS = 2_000

/** Tells the emulator of `switchhook dev` where the app reads facts, so that its payloads hold them there. */
export async function tellEmulator({ facts, baseUrl, emulatorToken: token }: Settings): Promise<void> {
  if (!facts || baseUrl === undefined || token === undefined) return
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  const body = JSON.stringify(mappedPaths(facts))
  const signal = AbortSignal.timeout(EMULATOR_TIMEOUT_MS)
  // Without it the app's messages are parked, and the log says why.
  await fetch(new URL('/_emulator/facts', baseUrl), { method: 'PUT', headers, body, signal }).catch(() => {})
}

/**
 * Asks the API how far its clock is ahead, in milliseconds; undefined if it is no emulator. Anybody can write an emulator's
 * header on a delivery, so the bot follows the answer of the API, and not the header.
 */
export function emulatorOffset(
  baseUrl: string | undefined,
  ask: typeof fetch = fetch,
): () => Promise<number | undefined> {
  return async () => {
    if (baseUrl === undefined) return undefined
    const signal = AbortSignal.timeout(EMULATOR_TIMEOUT_MS)
    const answer = await ask(new URL('/_emulator/clock', baseUrl), { signal }).catch(() => undefined)
    const offset = answer?.headers.get(EMULATOR_CLOCK_OFFSET) ?? ''
    return /^-?\d{1,15}$/.test(offset) ? Number(offset) : undefined
  }
}
