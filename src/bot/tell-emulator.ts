import { EMULATOR_CLOCK_OFFSET } from '../service/contract.ts'
import type { Paths } from './data-options.ts'
import type { Settings } from './options.ts'

export function mappedPaths(facts: Paths): Record<string, Record<string, string | string[]>> {
  const paths = (of: Paths[string]) =>
    Object.entries(of).flatMap(([fact, source]): [string, string | string[]][] =>
      typeof source === 'function' ? [] : [[fact, typeof source === 'string' ? source : [...source]]],
    )
  return Object.fromEntries(Object.entries(facts).map(([event, of]) => [event, Object.fromEntries(paths(of))]))
}

/** An emulator answers at once. */
const EMULATOR_TIMEOUT_MS = 2_000

/** Reports to the emulator of `switchhook dev` where the app reads facts, so that its payloads contain them there. */
export async function tellEmulator({ facts, baseUrl, emulatorToken: token }: Settings): Promise<void> {
  if (!facts || baseUrl === undefined || token === undefined) return
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  const body = JSON.stringify(mappedPaths(facts))
  const signal = AbortSignal.timeout(EMULATOR_TIMEOUT_MS)
  // Without it the app's messages are parked, and the log shows the reason.
  await fetch(new URL('/_emulator/facts', baseUrl), { method: 'PUT', headers, body, signal }).catch(() => {})
}

/** Its clock minus ours, in ms; undefined for the real API. Anybody can write an emulator's header on a delivery. */
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
