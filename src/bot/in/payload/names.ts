// No candidate has a longer name, so a longer member cannot match and is not normalised.
const MAX_NAME_LENGTH = 48
const NOT_PLAIN = /[A-Z -]/
const WORD_BOUNDARY = /(?<=[a-z\d])(?=[A-Z])|[- ]/g

/** Normalises a member's name: `phoneNumberId`, `phone-number-id` and `PHONE_NUMBER_ID` become `phone_number_id`. */
export function plainName(key: string): string {
  if (key.length > MAX_NAME_LENGTH) return key
  const known = plainNames.get(key)
  if (known !== undefined) return known
  const plain = NOT_PLAIN.test(key) ? key.replaceAll(WORD_BOUNDARY, '_').toLowerCase() : key
  if (plainNames.size >= MOST_REMEMBERED) plainNames.clear()
  plainNames.set(key, plain)
  return plain
}

const plainNames = new Map<string, string>()
const MOST_REMEMBERED = 2_048

/** A map by member name that finds a name in any spelling. */
export class Names<T> {
  readonly #entries: Map<string, T>

  constructor(entries: Iterable<readonly [name: string, value: T]> = []) {
    this.#entries = new Map(entries)
  }

  set(name: string, value: T): void {
    this.#entries.set(name, value)
  }

  get(key: string): T | undefined {
    return this.#entries.get(plainName(key))
  }
}

/** Splits a list that is written as one text, which keeps long lists readable. */
export function wordsOf(text: string): string[] {
  return text.trim().split(/\s+/)
}
