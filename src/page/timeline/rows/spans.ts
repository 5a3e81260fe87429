import { clockText } from '../../text/time.ts'
import type { Happening } from '../../wire/happenings.ts'
import type { NewRow, Sheet } from './table.ts'

type WindowHappening = Extract<Happening, { kind: 'window' }>
type AgentHappening = Extract<Happening, { kind: 'agent' }>

interface Span {
  readonly endsAt: number
  /** The row that tells its end. */
  readonly end: Omit<NewRow, 'number' | 'at'>
  isOver: boolean
}

/** What holds for a while, and ends without anybody saying so: windows, and pauses of the AI agent. */
export function createSpanRows(sheet: Sheet) {
  const spans = new Map<string, Span>()
  /** More than one: then it matters which was written to. */
  const numbers = new Set<string>()
  let nextEnd = Number.POSITIVE_INFINITY

  /** Begins or goes on; answers whether it began. */
  function hold(key: string, span: Omit<Span, 'isOver'>): boolean {
    const before = spans.get(key)
    spans.set(key, { ...span, isOver: false })
    nextEnd = Math.min(nextEnd, span.endsAt)
    return before === undefined || before.isOver
  }

  return {
    window({ id, at, window: { customer, number, closesAt } }: WindowHappening, order: number): void {
      numbers.add(number)
      const to = numbers.size > 1 ? `to ${number} ` : ''
      const about = { kind: 'window', customer } as const
      const closed = { what: 'Window closed', detail: `${to}24 h after the last message` }
      const end = { ...about, ...closed, id: `${id}-closes`, outcome: { words: 'closed', tone: 'plain' } } as const
      if (!hold(`window ${customer} ${number}`, { endsAt: Date.parse(closesAt), end })) return
      const opened = { what: 'Window opened', detail: `${to}until ${clockText(closesAt)}` }
      sheet.add({ ...about, ...opened, id, at, number: order, outcome: { words: 'open', tone: 'good' } })
    },

    agent({ id, at, agent: { customer, number, state, pausedUntil, on } }: AgentHappening, order: number): void {
      // There is nobody to be silenced.
      if (!on) return
      const key = `agent ${customer} ${number}`
      const about = { kind: 'agent', customer } as const
      const awake = { what: 'AI agent awake', outcome: { words: 'awake', tone: 'good' } } as const
      if (state === 'paused' && pausedUntil !== null) {
        const end = { ...about, ...awake, id: `${id}-ends`, detail: 'the takeover window is over' } as const
        if (!hold(key, { endsAt: Date.parse(pausedUntil), end })) return
        const outcome = { words: 'paused', tone: 'info' } as const
        const detail = `until ${clockText(pausedUntil)}`
        sheet.add({ ...about, id, at, number: order, what: 'AI agent paused', detail, outcome })
      } else if (spans.get(key)?.isOver === false) {
        spans.delete(key)
        sheet.add({ ...about, ...awake, id, at, number: order, detail: 'the customer asked for it' })
      }
    },

    /** It is `now`: what has ended gets its row, at the time when it ended. */
    passed(now: number, order: number): void {
      if (now < nextEnd) return
      const ended = [...spans.values()].filter((span) => !span.isOver && span.endsAt <= now)
      for (const span of ended.toSorted((a, b) => a.endsAt - b.endsAt)) {
        span.isOver = true
        sheet.add({ ...span.end, at: new Date(span.endsAt).toISOString(), number: order })
      }
      findNext()
    },

    /** The clock went back: what ends later than `now` goes on. */
    wentBack(now: number): void {
      for (const span of spans.values()) span.isOver &&= span.endsAt <= now
      findNext()
    },

    forget(): void {
      spans.clear()
      findNext()
    },
  }

  function findNext(): void {
    nextEnd = Number.POSITIVE_INFINITY
    for (const { isOver, endsAt } of spans.values()) if (!isOver) nextEnd = Math.min(nextEnd, endsAt)
  }
}
