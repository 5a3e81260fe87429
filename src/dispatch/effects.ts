/**
 * The effects of one attempt, such as its replies. A handler may start one without awaiting it: the attempt still
 * waits for it, and where it failed unseen, the attempt fails with it.
 */
export class Effects {
  readonly #begun: { readonly promise: Effect<unknown>; readonly settled: Promise<{ error?: unknown }> }[] = []

  begin<T>(run: () => Promise<T>): Promise<T> {
    const work = run()
    const promise = new Effect<T>((resolve, reject) => {
      work.then(resolve, reject)
    })
    const settled = work.then(
      () => ({}),
      (error: unknown) => ({ error }),
    )
    promise.handled()
    this.#begun.push({ promise, settled })
    return promise
  }

  /** Resolves when all have ended; rejects with the first failure that no handler has seen, and tells each once. */
  async ended(): Promise<void> {
    for (let effect = this.#begun.shift(); effect; effect = this.#begun.shift()) {
      const outcome = await effect.settled
      if ('error' in outcome && !effect.promise.seen) throw outcome.error
    }
  }
}

/** A promise that knows whether anybody looked at it. */
class Effect<T> extends Promise<T> {
  seen = false

  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }

  // oxlint-disable-next-line unicorn/no-thenable -- it is a promise
  override then<A = T, B = never>(
    kept?: ((value: T) => A | PromiseLike<A>) | null,
    broken?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.seen = true
    return super.then(kept, broken)
  }

  /** No unhandled rejection comes of it, and it still counts as unseen. */
  handled(): void {
    super.then(undefined, () => {})
  }
}
