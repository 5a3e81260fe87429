import type { PlayAct, PlayExpected, PlayStep } from '../../testing/play/file.ts'
import type { ThreadItem } from '../wire/types.ts'

export interface RecordedStep {
  /** The id of the happening that began it. */
  readonly id: string
  readonly step: PlayStep
}

/** A step to which what comes is still added. */
interface OpenStep {
  readonly id: string
  step: PlayAct & { readonly expect: PlayExpected[] }
  /** Of a jump of the clock: how far. */
  jumpedMs?: number | undefined
}

/** Where a recording stands while it is made. */
export interface Tape {
  readonly steps: OpenStep[]
  readonly notes: Set<string>
  readonly templates: Set<string>
  /** What each phone shows, by the ids of its items. */
  readonly phones: Map<string, Map<string, ThreadItem>>
  readonly payloads: ReadonlyMap<string, unknown>
  readonly byHand: ReadonlySet<string>
  /** How far the clock is off. */
  offsetMs: number
  /** Whether what is heard is recorded yet. */
  isOn: boolean
}

export function newTape(o: Pick<Tape, 'payloads' | 'byHand' | 'offsetMs' | 'isOn'>): Tape {
  return { ...o, steps: [], notes: new Set(), templates: new Set(), phones: new Map() }
}

export function begin(tape: Tape, id: string, act: PlayAct, jumpedMs?: number): void {
  tape.steps.push({ id, step: { ...act, expect: [] }, jumpedMs })
}
