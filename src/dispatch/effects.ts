/**
 * The effects of one attempt, such as its replies. A handler may start an effect without awaiting it. The attempt still
 * waits for the effect, and if it failed unseen, the attempt fails with it.
 */
export class Effects {
  readonly #begun: Effect<unknown>[] = []

  begin<T>(run: () => Promise<T>): Promise<T> {
    const effect = new Effect<T>((resolve, reject) => void run().then(resolve, reject))
    this.#begun.push(effect)
    return effect
  }

  /** Resolves when all effects have ended; rejects with the first error that no handler has seen, each error once. */
  async ended(): Promise<void> {
    for (let effect = this.#begun.shift(); effect; effect = this.#begun.shift()) {
      const failed = await effect.ended
      if (failed && !effect.seen) throw failed.error
    }
  }
}

/** A promise that knows whether anybody awaited it. */
class Effect<T> extends Promise<T> {
  seen = false
  /** Waits for the end without counting as seen, and prevents an unhandled rejection. */
  readonly ended: Promise<{ error: unknown } | undefined> = super.then(
    () => undefined,
    (error: unknown) => ({ error }),
  )

  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }

  // oxlint-disable-next-line unicorn/no-thenable -- it is a promise
  override then<A = T, B = never>(
    onFulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.seen = true
    return super.then(onFulfilled, onRejected)
  }
}
