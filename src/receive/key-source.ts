import { realTimers, type Timers } from '../base/clock.ts'
import { reasonOf } from '../base/errors.ts'
import type { MaybeAsync } from '../base/value.ts'
import { createKeyring, type Keyring } from './keyring.ts'

/** Where the live secrets of one number come from: themselves, or a function that is asked for them. */
export interface SecretSource {
  readonly number: string
  readonly secrets: string | readonly string[] | (() => MaybeAsync<string | readonly string[]>)
}

/** The secrets of a number are not known yet, so that no delivery can be judged by them; `cause` is why. */
export class SecretsUnknown extends Error {
  override readonly name = 'SecretsUnknown'
}

/** The keys that are live now. What functions answered is kept; a wrong signature is a reason to ask them again. */
export interface KeySource {
  /** @throws SecretsUnknown where a function has never answered: then nothing can be verified, and nothing is refused. */
  live(): Promise<Keyring>
  /** Whether every number's secrets are known: until then a signature that none of them made is no forgery yet. */
  complete(): boolean
  /** Asks the functions again, at most every 30 s; undefined where there is nothing new. */
  renewed(now: number): Promise<Keyring | undefined>
}

const ASK_AGAIN_MS = 30_000
/** A function that failed is asked again sooner: until it answers, every delivery is turned away with 503. */
const ASK_FAILED_AGAIN_MS = 1_000

/** Numbers that share a secret share a subscription: it is called by their names, joined. */
export const JOINED = '+'

export function createKeySource(
  sources: readonly SecretSource[],
  wall: () => number,
  timers: Timers = realTimers,
): KeySource {
  const asked = sources.some((source) => typeof source.secrets === 'function')
  /** What each number's source answered last: one that fails later, or is slow, does not take the others along. */
  const known = new Map<string, unknown>()
  let keyring: Keyring | undefined = asked ? undefined : createKeyring(bySubscription(sources))
  let changed = false
  let failure: unknown
  let lastAsked = Number.NEGATIVE_INFINITY
  let asking: Promise<void> | undefined

  async function ask(): Promise<void> {
    lastAsked = wall()
    await Promise.all(sources.map(askOne))
    if (known.size === 0) return
    try {
      const given = [...known].map(([number, secrets]) => ({ number, secrets }))
      if (!keyring || changed) keyring = createKeyring(bySubscription(given))
      changed = false
    } catch (cause) {
      failure = new SecretsUnknown(reasonOf(cause), { cause })
    }
  }

  async function askOne({ number, secrets }: SecretSource): Promise<void> {
    try {
      const answer = typeof secrets === 'function' ? await inTime(secrets, timers) : secrets
      changed ||= JSON.stringify(known.get(number)) !== JSON.stringify(answer)
      known.set(number, answer)
    } catch (error) {
      // Its message is the app's, and may hold what it was made of; ours names the number and no value.
      failure = new SecretsUnknown(`the function of secrets of number "${number}" failed: ${nameOf(error)}`)
    }
  }

  const together = () => {
    asking ??= ask().finally(() => {
      asking = undefined
    })
    return asking
  }

  return {
    complete: () => !asked || known.size === sources.length,
    async live() {
      if (keyring) return keyring
      // Either way, since a clock that was set back must not put the next question off until it has caught up.
      if (Math.abs(wall() - lastAsked) >= ASK_FAILED_AGAIN_MS || asking) await together()
      if (!keyring) throw failure
      return keyring
    },
    async renewed(now) {
      if (!asked || (!asking && Math.abs(now - lastAsked) < ASK_AGAIN_MS)) return undefined
      const before = keyring
      await together()
      return keyring === before ? undefined : keyring
    },
  }
}

const ANSWER_WITHIN_MS = 5_000

/** A function that never answers must not keep deliveries waiting: that is a failure too. */
function inTime<T>(ask: () => MaybeAsync<T>, timers: Timers): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = timers.after(ANSWER_WITHIN_MS, () => reject(new DOMException('too slow', 'TimeoutError')))
    Promise.resolve().then(ask).then(resolve, reject).finally(cancel)
  })
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error
}

interface Given {
  readonly number: string
  readonly secrets: unknown
}

/** Which numbers a secret belongs to names its subscription: the number, or several joined. */
function bySubscription(given: readonly Given[]): Record<string, string[]> {
  const owners = new Map<unknown, string[]>()
  const subscriptions: Record<string, unknown[]> = Object.create(null)
  for (const { number, secrets } of given) {
    const list: readonly unknown[] = Array.isArray(secrets) ? secrets : [secrets]
    for (const secret of list) owners.set(secret, [...(owners.get(secret) ?? []), number])
    // Kept, so that it is refused by its name and not passed over.
    if (list.length === 0) subscriptions[number] = []
  }
  for (const [secret, numbers] of owners) {
    const name = [...new Set(numbers)].sort().join(JOINED)
    ;(subscriptions[name] ??= []).push(secret)
  }
  return subscriptions as Record<string, string[]>
}
