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

/** `name` in lower case. Node's own headers are; a record made by hand may not be. */
export function lookUp(headers: IncomingHeaders, name: string): string | readonly string[] | null | undefined {
  if (typeof Headers !== 'undefined' && headers instanceof Headers) return headers.get(name)
  const record = headers as Record<string, string | readonly string[] | undefined>
  if (Object.hasOwn(record, name)) return record[name]
  const key = Object.keys(record).find((candidate) => candidate.toLowerCase() === name)
  return key === undefined ? undefined : record[key]
}
