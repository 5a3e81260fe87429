/**
 * Things that come and go quickly, in no order; whoever adds one is given the function that takes it out. A Set does the
 * same, but V8 chains the tables that it leaves behind as it grows and shrinks, and once one of them is old all that was
 * ever in the later ones stays in memory until the next full collection.
 */
export class Bag<T> {
  readonly #places: (T | undefined)[] = []
  readonly #free: number[] = []

  add(one: T): () => void {
    const place = this.#free.pop() ?? this.#places.length
    this.#places[place] = one
    return () => {
      this.#places[place] = undefined
      this.#free.push(place)
    }
  }

  all(): T[] {
    return this.#places.filter((one) => one !== undefined)
  }
}
