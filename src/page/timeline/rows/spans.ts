import { formatDateTime } from '../../../ui/text/time.ts'
import type { Happening } from '../../wire/happenings.ts'
import type { NewRow, RowTable } from './table.ts'

type WindowHappening = Extract<Happening, { kind: 'window' }>
type AgentHappening = Extract<Happening, { kind: 'agent' }>

interface Span {
  readonly endsAt: number
  readonly endRow: Omit<NewRow, 'order' | 'at'>
  isOver: boolean
}

const OPEN = { label: 'open', tone: 'good' } as const

/** Makes rows of windows and of the AI agent's pauses. The stream reports when they begin, but not when they end. */
export function createSpanRows(table: RowTable) {
  const spans = new Map<string, Span>()
  /** The numbers that were written to. If there are several, each row names its number. */
  const numbers = new Set<string>()
  let nextEnd = Number.POSITIVE_INFINITY

  /** Starts or extends a span; returns true if it was not running before. */
  function start(key: string, span: Omit<Span, 'isOver'>): boolean {
    const before = spans.get(key)
    spans.set(key, { ...span, isOver: false })
    nextEnd = Math.min(nextEnd, span.endsAt)
    return before === undefined || before.isOver
  }

  function findNextEnd(): void {
    nextEnd = Number.POSITIVE_INFINITY
    for (const { isOver, endsAt } of spans.values()) if (!isOver) nextEnd = Math.min(nextEnd, endsAt)
  }

  return {
    window({ id, at, window: { customer, number, closesAt } }: WindowHappening, order: number, turn: string): void {
      numbers.add(number)
      const to = numbers.size > 1 ? `to ${number} ` : ''
      const about = { kind: 'window', customer } as const
      const endRow = {
        ...about,
        id: `${id}-closes`,
        title: 'Window closed',
        detail: `${to}24 h after the last message`,
        outcome: { label: 'closed', tone: 'plain' },
      } as const
      if (!start(`window ${customer} ${number}`, { endsAt: Date.parse(closesAt), endRow })) return
      const detail = `${to}until ${formatDateTime(closesAt)}`
      table.add({ ...about, id, at, order, turn, title: 'Window opened', detail, outcome: OPEN })
    },

    agent(
      { id, at, agent: { customer, number, state, pausedUntil, on } }: AgentHappening,
      order: number,
      turn: string | undefined,
    ): void {
      // Without an agent there is nothing to pause.
      if (!on) return
      const key = `agent ${customer} ${number}`
      const about = { kind: 'agent', customer } as const
      const within = turn === undefined ? {} : { turn }
      const awake = { title: 'AI agent awake', outcome: { label: 'awake', tone: 'good' } } as const
      if (state === 'paused' && pausedUntil !== null) {
        const endRow = { ...about, ...awake, id: `${id}-ends`, detail: 'the takeover window is over' } as const
        if (!start(key, { endsAt: Date.parse(pausedUntil), endRow })) return
        const outcome = { label: 'paused', tone: 'info' } as const
        const detail = `until ${formatDateTime(pausedUntil)}`
        table.add({ ...about, ...within, id, at, order, title: 'AI agent paused', detail, outcome })
      } else if (spans.get(key)?.isOver === false) {
        spans.delete(key)
        table.add({ ...about, ...within, ...awake, id, at, order, detail: 'the customer asked for it' })
      }
    },

    /** Adds the rows of all spans that have ended by `now`, at the times of their ends. */
    end(now: number, order: number): void {
      if (now < nextEnd) return
      const ended = [...spans.values()].filter((span) => !span.isOver && span.endsAt <= now)
      for (const span of ended.toSorted((a, b) => a.endsAt - b.endsAt)) {
        span.isOver = true
        table.add({ ...span.endRow, at: new Date(span.endsAt).toISOString(), order })
      }
      findNextEnd()
    },

    /** The clock went back to `now`: spans that end later run again. */
    reopen(now: number): void {
      for (const span of spans.values()) span.isOver &&= span.endsAt <= now
      findNextEnd()
    },

    clear(): void {
      spans.clear()
      findNextEnd()
    },
  }
}
