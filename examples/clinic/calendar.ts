/** A stub instead of the clinic's calendar. Your own calendar queries your database. */
import type { MediaFact } from 'switchhook'

export interface Visit {
  readonly id: string
  readonly at: string
}

export interface Calendar {
  /** The times that are free, as the rows of a list. */
  free(day: string): Promise<{ id: string; title: string }[]>
  /** Undefined if somebody was faster. */
  book(phone: string, day: string, time: string, papers: readonly MediaFact[]): Promise<Visit | undefined>
}

const TIMES = ['08:00', '09:30', '11:00', '14:30']

export function createCalendar(): Calendar {
  const taken = new Set<string>()
  return {
    async free(day) {
      return TIMES.filter((time) => !taken.has(`${day} ${time}`)).map((time) => ({ id: time, title: time }))
    },
    async book(_phone, day, time) {
      const id = `${day} ${time}`
      if (taken.has(id)) return undefined
      taken.add(id)
      return { id, at: `${day}T${time}:00+03:00` }
    },
  }
}

export function dayBefore({ at }: Visit): Date {
  return new Date(Date.parse(at) - 86_400_000)
}
