import type { NewRow, Row } from './row.ts'

/** The rows as they grow: a new one, or a change to one, costs the same however many there are. */
export interface Sheet {
  /** Answers the row's `seq`, by which it can be changed later. */
  add(row: NewRow): number
  amend(seq: number, change: Partial<NewRow>): void
  at(seq: number): Row | undefined
  /** Forgets those whose happening has a lower number. */
  dropBefore(number: number): void
  /** The same array as before where nothing has changed. */
  rows(): readonly Row[]
}

export function createSheet(): Sheet {
  let all: Row[] = []
  let shown: readonly Row[] = []
  let changed = false
  let next = 0
  const indexOf = (seq: number) => seq - (all[0]?.seq ?? next)
  return {
    add(row) {
      all.push({ ...row, seq: next, day: dayOf(row.at), text: textOf(row) })
      changed = true
      return next++
    },
    amend(seq, change) {
      const row = all[indexOf(seq)]
      if (row === undefined) return
      const amended = { ...row, ...change }
      all[indexOf(seq)] = { ...amended, text: textOf(amended) }
      changed = true
    },
    at: (seq) => all[indexOf(seq)],
    dropBefore(number) {
      const kept = all.findIndex((row) => row.number >= number)
      if (kept === 0 || all.length === 0) return
      all = kept < 0 ? [] : all.slice(kept)
      changed = true
    },
    rows() {
      if (changed) shown = [...all]
      changed = false
      return shown
    },
  }
}

function dayOf(at: string): number {
  const date = new Date(at)
  return (date.getFullYear() * 12 + date.getMonth()) * 31 + date.getDate()
}

function textOf({ kind, what, detail = '', note = '', outcome, customer = '', code = '', ...ids }: NewRow): string {
  const { delivery = '', message = '', call = '' } = ids
  return [kind, what, detail, note, outcome?.words ?? '', code, customer, delivery, message, call]
    .join(' ')
    .toLowerCase()
}
