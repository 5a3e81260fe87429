/** A seed's plan: the messages with all that happens to them on their way, and the faults with their moments. */
import { seededRandom } from '../../src/emulator/model/ids.ts'
import { deckOf, type Fault, type Over, partsOf, type Team, TEAMS, type Who } from './decks.ts'

/** Comes when so many deliveries are acknowledged, and the fault before it is over. */
export const dies = (text: string) => text.endsWith(' dies')

export interface Planned {
  readonly after: number
  readonly fault: Fault
}

export interface PlannedMessage {
  readonly customer: string
  /**
   * No other message has this text. The handler of one that ends with `fails` throws at its first attempt; one that ends
   * with `dies` is a dead letter.
   */
  readonly text: string
  /** Payload time, in milliseconds after that of the first message. */
  readonly at: number
  readonly to: Who
  /** It comes a second time: with the first, or once that is acknowledged; perhaps to another process. */
  readonly again: { readonly when: 'at once' | 'later'; readonly to: Who } | undefined
}

/** Messages of one customer that are posted together, or one after another. */
export interface Burst {
  readonly together: boolean
  readonly messages: readonly PlannedMessage[]
}

export interface Plan {
  readonly seed: number
  readonly over: Over
  readonly team: Team
  /** Each customer's bursts: one begins when the one before it is acknowledged. */
  readonly bursts: ReadonlyMap<string, readonly Burst[]>
  readonly faults: readonly Planned[]
  readonly keysRememberedFor: '24h' | 'until_settled'
  /** To the server. */
  readonly roundTripMs: number
}

export interface PlanSize {
  readonly deliveries: number
  readonly customers: number
  /** Acknowledged deliveries from one fault to the next. */
  readonly faultEvery: number
  readonly roundTripMs?: number
}

const DUPLICATES = 0.3
const LONGEST_BURST = 4
/** A straggler's payload time is so much older than those of its burst. */
const STRAGGLERS = 0.1
const STRAGGLES_BY_MS = 1_000
const FAILING = 0.03
const DYING = 0.05

export function makePlan(seed: number, size: PlanSize, over: Over = 'file'): Plan {
  const random = seededRandom(seed)
  const whole = (from: number, to: number) => from + Math.floor(random() * (to - from + 1))
  const one = <T>(of: readonly T[]) => of[whole(0, of.length - 1)] as T
  const team = TEAMS[over]
  const { receivers } = partsOf(team)
  return {
    seed,
    over,
    team,
    bursts: bursts(),
    faults: faults(),
    keysRememberedFor: seed % 2 === 0 ? '24h' : 'until_settled',
    roundTripMs: size.roundTripMs ?? 0,
  }

  function bursts(): Map<string, Burst[]> {
    const all = new Map<string, Burst[]>()
    for (let made = 0; made < size.deliveries; ) {
      const customer = String(255_712_000_000 + whole(1, size.customers))
      const length = Math.min(whole(1, LONGEST_BURST), size.deliveries - made)
      const messages = Array.from({ length }, (_, index) => message(customer, made + index))
      const burst = { together: random() < 0.5, messages: shuffled(messages) }
      all.set(customer, [...(all.get(customer) ?? []), burst])
      made += length
    }
    return all
  }

  function message(customer: string, index: number): PlannedMessage {
    const at = 10 * index - (random() < STRAGGLERS ? STRAGGLES_BY_MS : 0)
    const again =
      random() < DUPLICATES ? ({ when: random() < 0.5 ? 'at once' : 'later', to: one(receivers) } as const) : undefined
    const fate = random()
    const text = `message ${index}${fate < FAILING ? ' fails' : fate < FAILING + DYING ? ' dies' : ''}`
    return { customer, text, at, to: one(receivers), again }
  }

  /** Each kind has its turn before any comes again, so that a short run has them all. */
  function faults(): Planned[] {
    const count = Math.max(0, Math.floor(size.deliveries / size.faultEvery) - 1)
    const all: Fault[] = []
    while (all.length < count) all.push(...shuffled(deckOf(over, { whole, one })))
    return all.slice(0, count).map((fault, index) => ({ after: (index + 1) * size.faultEvery, fault }))
  }

  function shuffled<T>(list: readonly T[]): T[] {
    return list
      .map((entry) => [random(), entry] as const)
      .sort(([a], [b]) => a - b)
      .map(([, entry]) => entry)
  }
}
