import { InvalidArgumentError } from 'commander'

/** A connected number as `--numbers` names it; without a token it holds the first number's. */
export interface WantedNumber {
  readonly id: string
  readonly accessToken?: string
}

const FORM = /^(\d{1,30})(?::([\x21-\x2b\x2d-\x7e]+))?$/

/** Reads `ID,ID`, each with its access token if it has one of its own: `ID:TOKEN`. */
export function readNumbers(text: string): WantedNumber[] {
  const numbers = text.split(',').map((one) => {
    const [, id, accessToken] = FORM.exec(one.trim()) ?? []
    if (id === undefined) throw new InvalidArgumentError('It must be ids in digits: 109871234500011,109871234500012.')
    return { id, ...(accessToken !== undefined && { accessToken }) }
  })
  if (new Set(numbers.map(({ id }) => id)).size === numbers.length) return numbers
  throw new InvalidArgumentError('The ids must differ.')
}
