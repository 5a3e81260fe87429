import type { Store } from '../../../src/store/store.ts'
import { arrive, begin } from '../acts.ts'
import { claim, ingested, item, T0 } from '../samples.ts'
import type { BurstRules } from '../../../src/features/bursts/store/burst-rules.ts'
import type { NewItem, StartedItem } from '../../../src/store/work/items.ts'
import type { Settlement } from '../../../src/store/work/settle.ts'

export const RULES: BurstRules = { quietMs: 1_500, maxMs: 8_000, maxMessages: 4 }
export const DONE = { as: 'done' } as const
export const DAY = 86_400_000

export function factsOf(text: string): string {
  return JSON.stringify({ values: { text }, sure: [] })
}

export function said({ text = 'x', ...given }: Partial<NewItem> & { text?: string }): NewItem {
  return item({ facts: factsOf(text), ...given })
}

/** A message comes that is gathered; the answer is its delivery. */
export function writes(
  store: Store,
  { rules = RULES, ...given }: Partial<NewItem> & { text?: string; rules?: BurstRules },
  now = T0,
  moves = false,
): Promise<number> {
  const one = said({ gathers: rules, ...given })
  const { number, customer = '', at: lastAt } = one
  return arrive(store, [one], now, moves ? [{ number, customer, lastAt }] : [])
}

export function textsOf({ earlier, facts }: StartedItem): string[] {
  return [...earlier, { facts }].map(
    (message) => (JSON.parse(message.facts) as { values: { text: string } }).values.text,
  )
}

/** Begins and settles all that is ready, and answers with the texts of each turn. */
export async function inTurns(store: Store, now: number): Promise<string[][]> {
  const turns: string[][] = []
  for (;;) {
    const { begun } = await store.claimItems(claim({ now }))
    if (begun.length === 0) return turns
    for (const { fence, work } of begun) {
      turns.push(textsOf(work))
      await store.settleItem(fence, work.id, DONE, { now, goOn: false })
    }
  }
}

export async function settled(store: Store, settlement: Settlement): Promise<StartedItem> {
  const { fence, item: burst } = await begin(store, { now: T0 + 9_000 })
  await store.settleItem(fence, burst.id, settlement, { now: T0 + 9_000, goOn: true })
  return burst
}

export async function ingestAgain(store: Store, seq: number | undefined, one: NewItem): Promise<void> {
  await store.ingest(seq ?? 0, ingested(one), T0 + DAY)
}
