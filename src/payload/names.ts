// No candidate's name is longer, so a longer member is not worth folding.
const LONGEST_NAME = 48
const NOT_PLAIN = /[A-Z -]/
const SEAM = /(?<=[a-z\d])(?=[A-Z])|[- ]/g

/** The one spelling of a member's name: `phoneNumberId`, `phone-number-id` and `PHONE_NUMBER_ID` become `phone_number_id`. */
export function plainName(key: string): string {
  if (key.length > LONGEST_NAME || !NOT_PLAIN.test(key)) return key
  return key.replaceAll(SEAM, '_').toLowerCase()
}

/** Look-up by a member's name in any spelling. */
export class Names<T> {
  readonly #known = new Map<string, T>()

  constructor(entries: Iterable<readonly [name: string, value: T]> = []) {
    for (const [name, value] of entries) this.set(name, value)
  }

  // The usual spellings are kept as they are, so that a payload in camel case need not be folded either.
  set(name: string, value: T): void {
    this.#known.set(name, value)
    this.#known.set(camelCase(name), value)
    this.#known.set(name.replaceAll('_', '-'), value)
  }

  get(key: string): T | undefined {
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const plain = plainName(key)
    return plain === key ? undefined : this.#known.get(plain)
  }
}

function camelCase(name: string): string {
  return name.replaceAll(/_([a-z\d])/g, (_, letter: string) => letter.toUpperCase())
}

/** The words of a list that is written as one text, so that long lists stay readable. */
export function wordsOf(text: string): string[] {
  return text.trim().split(/\s+/)
}
