import type { Prepare } from './connection.ts'

/** Counters are written at most so often, milliseconds. A crash loses what was counted since. */
export const COPIES_MS = 1_000

interface Copy {
  readonly of: number
  readonly kind: string
  count: number
  at: number
}

/** Counts repeats of known deliveries in memory, so that a flood of them writes one row a second. */
export class Copies {
  readonly #upsert
  #pending = new Map<string, Copy>()

  constructor(prepare: Prepare) {
    this.#upsert = prepare(`
      INSERT INTO copies (of, kind, count, last_at) VALUES (?, ?, ?, ?)
      ON CONFLICT (of, kind) DO UPDATE SET count = count + excluded.count, last_at = max(last_at, excluded.last_at)`)
  }

  /** True if it is the first since the last write. */
  add(of: number, kind: string, at: number): boolean {
    const key = `${of} ${kind}`
    const copy = this.#pending.get(key)
    if (copy) Object.assign(copy, { count: copy.count + 1, at })
    else this.#pending.set(key, { of, kind, count: 1, at })
    return this.#pending.size === 1 && !copy
  }

  /** Writes what was counted. Returns what to forget once the commit is on disk. */
  write(): () => void {
    const written = [...this.#pending.values()].map((copy) => ({ ...copy }))
    for (const { of, kind, count, at } of written) this.#upsert.run(of, kind, count, at)
    return () => {
      for (const { of, kind, count } of written) {
        const copy = this.#pending.get(`${of} ${kind}`)
        if (copy && (copy.count -= count) <= 0) this.#pending.delete(`${of} ${kind}`)
      }
    }
  }
}
