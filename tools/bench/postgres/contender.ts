/** A program that stores deliveries in PostgreSQL and handles them. */
export interface Contender extends AsyncDisposable {
  readonly name: string
  /** Stores each of them, as many at once as `AT_ONCE`; resolves when all are stored. */
  accept(deliveries: readonly Delivery[]): Promise<void>
  /** Handles all that is stored, which may be nothing; resolves with how many were handled. */
  handle(): Promise<number>
}

export interface Delivery {
  readonly id: string
  readonly customer: string
  /** The JSON that is posted. */
  readonly body: string
}

/** Posts that wait for their answer, and messages that are handled, at one time. */
export const AT_ONCE = 64

/** Does it for each, so many at one time. */
export async function each<T>(all: readonly T[], run: (one: T) => Promise<unknown>): Promise<void> {
  const left = all.values()
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const one of left) await run(one)
    }),
  )
}
