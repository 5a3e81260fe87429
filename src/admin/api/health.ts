/** How the bot stands. Counts of what rests, and of sends and conversations, end at 10,000. All but `process` is the same in all processes of a database. */
export interface Health {
  readonly at: string
  readonly waiting: { readonly deliveries: number; readonly items: number; readonly sends: number }
  /** For how long the message whose turn is next has waited, in milliseconds. */
  readonly lagMs: number
  /** Counts of what waits for a person. */
  readonly resting: Readonly<Record<RestingState, number>>
  readonly sends: { readonly scheduled: number; readonly held: number; readonly unknown: number }
  readonly conversations: number
  /** Numbers that send nothing, or only a probe now and then. */
  readonly throttled: readonly ThrottleView[]
  /** The database was brought back from a backup, and holds so many sends for that. */
  readonly restoredHeld?: number | undefined
  readonly process: ProcessHealth
}

export type RestingState = 'dead' | 'parked' | 'quarantined' | 'conflict' | 'suspected_replay'

export interface ThrottleView {
  readonly number: string
  readonly stopped: boolean
  readonly since: string
  /** Of a pause. */
  readonly until?: string | undefined
  readonly code?: string | undefined
  readonly toDo: string
}

/** This process since the page was made. */
export interface ProcessHealth {
  readonly role: string
  readonly since: string
  /** Deliveries stored in the last minute. */
  readonly perMinute: number
  /** Deliveries in a row that the service must take for failed; at 20 it disables the endpoint. */
  readonly failuresInARow: number
  readonly lanes: { readonly items: number; readonly sends: number }
  readonly plot: Plot
}

/** Counts in spans of equal length, the oldest first; the last span is under way. As a process lives on, spans grow longer. */
export interface Plot {
  readonly spanMs: number
  /** Of the first span, in milliseconds since the epoch. */
  readonly from: number
  readonly accepted: readonly number[]
  readonly handled: readonly number[]
  /** Attempts that failed, of items. */
  readonly failed: readonly number[]
  readonly sent: readonly number[]
  /** Sends refused or unknown. */
  readonly unsent: readonly number[]
  /** The longest that a message had waited when its handler began, in milliseconds. */
  readonly waitedMs: readonly number[]
}
