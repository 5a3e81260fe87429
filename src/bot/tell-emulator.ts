import { EMULATOR_CLOCK_OFFSET } from '../service/endpoints.ts'
import type { Paths } from './payload-options.ts'
import type { Words } from './inbox/payload/facts.ts'
import { KNOWN_KINDS } from '../service/message-kinds.ts'
import { SYNONYMS } from './inbox/payload/values.ts'
import type { Settings } from './options.ts'

/** Describes by event where the app reads facts and which words it knows, so that an emulator writes such payloads. */
export function factSources(facts: Paths = {}, { kinds, statuses }: Words) {
  const known = [...KNOWN_KINDS].map((kind) => [kind, kind] as const)
  const words = { ...Object.fromEntries(kinds), ...Object.fromEntries([...known, ...SYNONYMS, ...kinds]) }
  return {
    ...facts,
    'message.received': { ...facts['message.received'], $words: words },
    'message.status': { ...facts['message.status'], $words: Object.fromEntries(statuses) },
  }
}

const EMULATOR_TIMEOUT_MS = 2_000

/** Sends `factSources` to the emulator of `switchhook dev`. */
export async function tellEmulator({ facts, words, baseUrl, emulatorToken: token }: Settings): Promise<void> {
  if (baseUrl === undefined || token === undefined) return
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  // Functions cannot be sent: JSON leaves them out.
  const body = JSON.stringify(factSources(facts, words))
  const signal = AbortSignal.timeout(EMULATOR_TIMEOUT_MS)
  // If this fails, the emulator's messages lack these facts, and the app parks them.
  await fetch(new URL('/_emulator/facts', baseUrl), { method: 'PUT', headers, body, signal }).catch(() => {})
}

/** Asks for the emulator's clock minus ours, in ms; undefined for the real API. */
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
