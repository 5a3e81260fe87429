/** A span in which a customer is not the bot's to answer. Service time. */
export interface Silence {
  readonly since: number
  readonly until: number
  /** The cause of the item whose handler began it; undefined if no handler did. That handler runs to its end. */
  readonly cause?: string | undefined
  /** Why a send is skipped. */
  readonly why: { readonly code: string; readonly reason: string }
}

type Span = Pick<Silence, 'since' | 'until'>

export function isInForce<S extends Span>(silence: S | undefined, at: number): silence is S {
  return silence !== undefined && silence.until > at
}

export function remaining(silence: Span | undefined, at: number): number {
  return silence === undefined ? 0 : Math.max(0, silence.until - Math.max(at, silence.since))
}
