/** Payloads of one shape, as deliveries had it: paths and types, and nothing of a customer. */
export interface SeenShape {
  readonly event: string
  /** Empty: the shapes for which there was no room, together. */
  readonly fingerprint: string
  readonly paths: readonly string[]
  /** The paths are not all. */
  readonly truncated: boolean
  readonly deliveries: number
  /** More than deliveries if some are batches. */
  readonly messages: number
  /** Wall time. */
  readonly firstAt: number
  readonly lastAt: number
}

/** A fact, or a doubt about one, at one path. */
export interface SeenFact {
  readonly event: string
  readonly fact: string
  /** Without indexes, as in a shape; empty: the paths for which there was no room, together. */
  readonly path: string
  /** The way in which the fact was found there, or the doubt, such as `conflict`. */
  readonly how: string
  /** Counts messages. */
  readonly seen: number
  /** Those of them in which the fact was sure. */
  readonly sure: number
  readonly firstAt: number
  readonly lastAt: number
}

export interface SeenPayloads {
  readonly shapes: readonly SeenShape[]
  readonly facts: readonly SeenFact[]
}

/** A shape that no process had seen before. */
export interface NewShape {
  readonly event: string
  readonly fingerprint: string
  /** The event had no shape before. */
  readonly isFirst: boolean
  /** Paths that no other shape of the event has. */
  readonly gained: readonly string[]
  /** Paths that all other shapes of the event have. */
  readonly lost: readonly string[]
}

/** A fact that the app maps: its path, or `()` for a function. */
export interface MappedPath {
  readonly event: string
  readonly fact: string
  readonly path: string
}

/** Counts of the shapes that payloads have. They are bounded, since whoever may sign a delivery may vary its shape. */
export interface Payloads {
  /**
   * Adds what a process has counted. Of each event that has room for them, shapes are kept apart; the others are counted
   * together, under an empty fingerprint, and events for which there is no room under an empty name. The answer names the
   * shapes that were added, each once, whichever process saw it.
   */
  addPayloads(seen: SeenPayloads): Promise<readonly NewShape[]>

  /** By event; shapes and facts that were seen most come first. */
  seenPayloads(): Promise<SeenPayloads>

  /** Keeps the app's mapping, in place of the last one: for a person who asks how a payload would be read. */
  keepMapping(mapping: readonly MappedPath[]): Promise<void>

  mapping(): Promise<readonly MappedPath[]>
}
