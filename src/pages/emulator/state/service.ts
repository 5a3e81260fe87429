import { type Signal, signal, computed } from '@preact/signals'
import { change, read } from '../wire/control.ts'
import type {
  Account,
  Agent,
  Assumptions,
  Clock,
  Customer,
  FaultRule,
  Faults,
  Form,
  ListedTemplate,
  Subscription,
} from '../wire/wire-types.ts'
import { runAction } from '../../ui/components/messages.ts'

export const customers = signal<readonly Customer[]>([])
export const subscriptions = signal<readonly Subscription[]>([])
export const faults = signal<Faults>({ rules: [] })
export const account = signal<Account | undefined>(undefined)
export const agent = signal<Agent | undefined>(undefined)
export const templates = signal<readonly ListedTemplate[]>([])
export const assumptions = signal<Assumptions | undefined>(undefined)
export const forms = signal<readonly Form[]>([])

const reads =
  <T>(into: Signal<T>, path: string) =>
  async () => {
    into.value = await read<T>(path)
  }

const readsItems =
  <T>(into: Signal<readonly T[]>, path: string) =>
  async () => {
    into.value = (await read<{ items: readonly T[] }>(path)).items
  }

const LOADERS: Readonly<Record<string, () => Promise<void>>> = {
  customers: async () => {
    const { items } = await read<{ items: readonly Customer[] }>('customers')
    customers.value = items.toSorted((a, b) => (b.last?.at ?? '').localeCompare(a.last?.at ?? ''))
  },
  subscriptions: readsItems(subscriptions, 'subscriptions'),
  faults: reads(faults, 'faults'),
  account: reads(account, 'account'),
  agent: reads(agent, 'agent'),
  templates: readsItems(templates, 'templates'),
  assumptions: reads(assumptions, 'assumptions'),
  forms: readsItems(forms, 'forms'),
  clock: async () => {
    offsetMs.value = (await read<Clock>('clock')).offsetMs
  },
}

export async function loadService(): Promise<void> {
  await Promise.all(Object.values(LOADERS).map((load) => load()))
}

const timers = new Map<string, ReturnType<typeof setTimeout>>()
const RELOAD_DELAY_MS = 100

export function reloadSoon(part: string): void {
  const load = LOADERS[part]
  if (load === undefined || timers.has(part)) return
  const reload = () => {
    timers.delete(part)
    // If the emulator does not answer, everything is read again when it is back.
    load().catch(() => undefined)
  }
  timers.set(part, setTimeout(reload, RELOAD_DELAY_MS))
}

/**
 * The API sets all rules at once, so this first reads the current ones. Of two changes at the same time, the later one
 * would undo the earlier one. So a lock allows one change at a time, in all tabs.
 */
export async function changeRules(next: (rules: readonly FaultRule[]) => readonly FaultRule[]): Promise<void> {
  await navigator.locks.request('faults', async () => {
    const { rules } = await read<Faults>('faults')
    faults.value = await change<Faults>('PUT', 'faults', { rules: next(rules) })
  })
}

/** The emulator's clock minus this machine's, in milliseconds. */
export const offsetMs = signal(0)

const wallMs = signal(Date.now())
setInterval(() => {
  wallMs.value = Date.now()
}, 1_000)

export const now = computed(() => wallMs.value + offsetMs.value)

export function moveClock(by: string): void {
  runAction(() => change('POST', 'clock', { advance: by, tellApp: true }))
}

export function resetClock(): void {
  runAction(() => change('POST', 'clock', { reset: true, tellApp: true }))
}
