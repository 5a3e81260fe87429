const HEAD = 6
const TAIL = 4
const HIDDEN_AT_LEAST = 24

/** Masks as the service does: the first six and last four characters stay, if at least 24 are hidden (AUTH-07). */
export function maskToken(token: string): string {
  if (token.length < HEAD + TAIL + HIDDEN_AT_LEAST) return '[hidden]'
  return `${token.slice(0, HEAD)}…${token.slice(-TAIL)}`
}

export function maskPhone(digits: string): string {
  return digits.length > 4 ? `…${digits.slice(-3)}` : '…'
}

const BETWEEN_DIGITS = String.raw`[ ().\-]{0,3}`

/** Finds a phone number in a text, in any spelling. @param number only digits. */
export function phonePattern(number: string): RegExp {
  return new RegExp(Array.from(number).join(BETWEEN_DIGITS), 'g')
}

/** Only `reveal()` returns the value. Logs, errors and inspectors show `[secret]`. */
export class Secret {
  readonly #value: string
  readonly #shown: string

  constructor(value: string, shown = '[secret]') {
    this.#value = value
    this.#shown = shown
  }

  reveal(): string {
    return this.#value
  }

  toString(): string {
    return this.#shown
  }

  toJSON(): string {
    return this.#shown
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.#shown
  }
}
