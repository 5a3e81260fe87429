/** A shape of payloads: paths and types, and nothing of a customer. */
export interface SeenShape {
  readonly event: string
  readonly fingerprint: string
  readonly paths: readonly string[]
  /** The paths are not all. */
  readonly truncated: boolean
  /** Wall time. */
  readonly lastAt: number
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

export interface Payloads {
  /**
   * Keeps the shapes that are not known yet, and answers with them: each once, whichever process saw it. Whoever may sign
   * a delivery may vary its shape, so events and shapes without room are neither kept nor answered.
   */
  addShapes(shapes: readonly SeenShape[]): Promise<readonly NewShape[]>

  /** Keeps the app's mapping, in place of the last one: for a person who asks how a payload would be read. */
  keepMapping(mapping: readonly MappedPath[]): Promise<void>

  mapping(): Promise<readonly MappedPath[]>
}
