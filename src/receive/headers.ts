/** Headers as Node gives them, or as a fetch `Request` does. */
export type IncomingHeaders = Headers | Record<string, string | readonly string[] | undefined>

export type HeaderValue = { readonly value: string } | { readonly problem: 'missing' | 'repeated' }

/**
 * A header that must stand exactly once. Platforms join repeats of a header that they do not know with a
 * comma, and none of ours may hold one: so a comma is a repeat (SIG-08).
 */
export function single(headers: IncomingHeaders, name: string): HeaderValue {
  const found = lookUp(headers, name)
  if (found === undefined || found === null || found === '' || found.length === 0) return { problem: 'missing' }
  if (typeof found !== 'string')
    return found.length === 1 ? single({ [name]: found[0] }, name) : { problem: 'repeated' }
  return found.includes(',') ? { problem: 'repeated' } : { value: found }
}

/** `name` in lower case. Node's own headers are; in a record made by hand each spelling of it is a value. */
export function lookUp(headers: IncomingHeaders, name: string): string | readonly string[] | null | undefined {
  if (isHeaders(headers)) return headers.get(name)
  let found: string | readonly string[] | undefined
  for (const key of Object.keys(headers)) {
    if (key.length !== name.length || key.toLowerCase() !== name) continue
    const value = headers[key]
    if (value !== undefined) found = found === undefined ? value : [found, value].flat()
  }
  return found
}

/** By what it does, since polyfills and other realms bring a class of their own. */
function isHeaders(headers: IncomingHeaders): headers is Headers {
  return typeof headers['get' as keyof typeof headers] === 'function'
}
