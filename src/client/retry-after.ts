/**
 * The wait that an answer asks for, in milliseconds. The service shows no `Retry-After` (SEND-22); should it come one
 * day, or from a proxy, it is heard. A date is read against the answer's own `Date`, so that no clock is needed.
 */
export function retryAfterMs(headers: Headers): number | undefined {
  const value = headers.get('retry-after')?.trim() ?? ''
  if (/^\d{1,9}(\.\d+)?$/.test(value)) return Number(value) * 1_000
  const wait = Date.parse(value) - Date.parse(headers.get('date') ?? '')
  return Number.isNaN(wait) ? undefined : Math.max(0, wait)
}
