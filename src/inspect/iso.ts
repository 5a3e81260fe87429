/** Formats a time in ISO 8601; undefined stays undefined. */
export function iso(time: number | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toISOString()
}
