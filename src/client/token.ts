import { optionsInvalid } from '../base/errors.ts'
import { ApiError } from './api-error.ts'

/** The token, or a function that gives the one of this moment. */
export type TokenSource = string | (() => string | Promise<string>)

/**
 * The function that gives the token, called at each attempt, so that a new token needs no restart. A token given as a
 * string is checked at once (`options_invalid`), a function's at the attempt (`no_access_token`). No message shows it.
 */
export function tokensFrom(source: TokenSource): () => Promise<string> {
  if (typeof source !== 'function') {
    const why = whyUnusable(source)
    if (why !== undefined) throw optionsInvalid(`accessToken: ${why}`)
    return () => Promise.resolve(source)
  }
  return async () => {
    const token = await resolved(source)
    const why = whyUnusable(token)
    if (why !== undefined) throw ApiError.withoutToken(`accessToken(): ${why}; nothing was sent`)
    return token
  }
}

/**
 * The tokens of one call's attempts. After a 401 the next attempt needs another token: the same one would be refused
 * again, and then that refusal is what the call ends with.
 */
export function tokensOfCall(source: () => Promise<string>) {
  let last: string | undefined
  let refusal: ApiError | undefined
  return {
    refused(error: ApiError): void {
      refusal = error
    },
    async next(): Promise<string> {
      const token = await source()
      if (refusal !== undefined && token === last) throw refusal
      refusal = undefined
      last = token
      return token
    },
  }
}

async function resolved(source: () => string | Promise<string>): Promise<string> {
  try {
    return await source()
  } catch (error) {
    // The error's message is the app's, and may hold a secret.
    const name = error instanceof Error ? error.name : typeof error
    throw ApiError.withoutToken(`accessToken(): the function failed with ${name}; nothing was sent`)
  }
}

function whyUnusable(token: unknown): string | undefined {
  if (typeof token !== 'string') return `expected a string, got ${token === null ? 'null' : typeof token}`
  if (token.trim() === '') return 'expected a token, got a blank string'
  if (/^bearer\s/i.test(token)) return 'expected the token alone, without the word Bearer'
  if (/\s/.test(token)) return 'holds a space or line break: trim what was read from a file or a variable'
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\x00-\x1f\x7f-\x9f]/.test(token)) return 'holds a control character'
  // oxlint-disable-next-line no-control-regex -- the whole of Latin-1
  if (!/^[\x00-\xff]*$/.test(token))
    return 'holds a character that no header can carry: was it copied with an ellipsis?'
  return undefined
}
