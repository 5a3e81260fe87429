const HEAD = 6
const TAIL = 4
const HIDDEN_AT_LEAST = 24

/** A token as the service itself previews it: six first, four last, where that still hides 24 characters (AUTH-07). */
export function maskToken(token: string): string {
  if (token.length < HEAD + TAIL + HIDDEN_AT_LEAST) return '[hidden]'
  return `${token.slice(0, HEAD)}…${token.slice(-TAIL)}`
}

/** Enough of a phone number to tell two apart, and no more. */
export function maskPhone(digits: string): string {
  return digits.length > 4 ? `…${digits.slice(-3)}` : '…'
}

/**
 * A value that no log, error or inspector shows: it must be asked for by `reveal()`.
 * Masked by construction, so that forgetting to mask is harmless.
 */
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
