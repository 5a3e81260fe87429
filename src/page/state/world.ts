import { signal } from '@preact/signals'
import { read } from '../wire/control.ts'
import type { Account, Agent, Behaviour, Clock, Faults, ListedTemplate, Subscription } from '../wire/types.ts'
import { offsetMs } from './clock.ts'

/** What stands behind the conversations. */
export const subscriptions = signal<readonly Subscription[]>([])
export const faults = signal<Faults>({ rules: [], recipients: [] })
export const account = signal<Account | undefined>(undefined)
export const agent = signal<Agent | undefined>(undefined)
export const templates = signal<readonly ListedTemplate[]>([])
/** Every behaviour of the emulator, and the switches of those that are assumed. */
export const fidelity = signal<readonly Behaviour[]>([])

interface Items<T> {
  readonly items: readonly T[]
}

/** By the first segment of their path in the control API. */
const LOADERS: Readonly<Record<string, () => Promise<void>>> = {
  subscriptions: async () => {
    subscriptions.value = (await read<Items<Subscription>>('subscriptions')).items
  },
  faults: async () => {
    faults.value = await read<Faults>('faults')
  },
  account: async () => {
    account.value = await read<Account>('account')
  },
  agent: async () => {
    agent.value = await read<Agent>('agent')
  },
  templates: async () => {
    templates.value = (await read<Items<ListedTemplate>>('templates')).items
  },
  assumptions: async () => {
    fidelity.value = (await read<Items<Behaviour>>('fidelity')).items
  },
  clock: async () => {
    offsetMs.value = (await read<Clock>('clock')).offsetMs
  },
}

export async function loadWorld(): Promise<void> {
  await Promise.all(Object.values(LOADERS).map((load) => load()))
}

const waiting = new Map<string, ReturnType<typeof setTimeout>>()
const SOON_MS = 50

/** Reads a part anew, once for all that asks for it in these milliseconds. */
export function reloadSoon(part: string): void {
  const load = LOADERS[part]
  if (load === undefined || waiting.has(part)) return
  const again = () => {
    waiting.delete(part)
    // It is asked for again as soon as the emulator is back.
    load().catch(() => undefined)
  }
  waiting.set(part, setTimeout(again, SOON_MS))
}
