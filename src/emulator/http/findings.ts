/** One thing that is wrong with a body or a query, and where. */
export interface Finding {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/** Nobody reads more of them, and a body of a megabyte can have hundreds of thousands. */
export const MOST_TOLD = 100

/** All that is wrong, in one line. */
export function inWords(findings: readonly Finding[]): string {
  const told = findings
    .slice(0, MOST_TOLD)
    .map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message))
  const untold = findings.length - told.length
  return [...told, ...(untold > 0 ? [`and ${untold} more`] : [])].join('; ')
}
