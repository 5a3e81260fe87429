import { SwitchhookError } from '../base/errors.ts'
import { createKeyring, type Keyring } from './keyring.ts'

/** Where the live secrets of one number come from: themselves, or a function that is asked for them. */
export interface SecretSource {
  readonly number: string
  readonly secrets: string | readonly string[] | (() => MaybeAsync<string | readonly string[]>)
}

type MaybeAsync<T> = T | Promise<T>

/** The keys that are live now. What functions answered is kept; a wrong signature is a reason to ask them again. */
export interface KeySource {
  /** @throws where a function has never answered: then nothing can be verified, and nothing is refused. */
  live(): Promise<Keyring>
  /** Asks the functions again, at most every 30 s; undefined where there is nothing new. */
  renewed(now: number): Promise<Keyring | undefined>
}

const ASK_AGAIN_MS = 30_000
/** A function that failed is asked again sooner: until it answers, every delivery is turned away with 503. */
const ASK_FAILED_AGAIN_MS = 1_000

/** Numbers that share a secret share a subscription: it is called by their names, joined. */
export const JOINED = '+'

export function createKeySource(sources: readonly SecretSource[], wall: () => number): KeySource {
  const asked = sources.some((source) => typeof source.secrets === 'function')
  let keyring: Keyring | undefined = asked ? undefined : createKeyring(bySubscription(sources))
  let failure: unknown
  let lastAsked = Number.NEGATIVE_INFINITY
  let asking: Promise<void> | undefined

  async function ask(): Promise<void> {
    lastAsked = wall()
    try {
      const answers = await Promise.all(
        sources.map(async ({ number, secrets }) => ({
          number,
          secrets: typeof secrets === 'function' ? await secrets() : secrets,
        })),
      )
      keyring = createKeyring(bySubscription(answers))
    } catch (error) {
      // Its message is the app's, and may hold what it was made of; ours names the option and no value.
      failure = error instanceof SwitchhookError ? error : new Error(`a function of secrets failed: ${nameOf(error)}`)
    }
  }

  const together = () => {
    asking ??= ask().finally(() => {
      asking = undefined
    })
    return asking
  }

  return {
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
