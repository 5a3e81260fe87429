/** An act of a person by the admin page, and not by a command. */
export interface NewAct {
  /** Wall time. */
  readonly at: number
  readonly who: string
  readonly act: string
  /** In words, without a number or a text of a customer. */
  readonly what: string
}

export interface ActRow extends NewAct {
  /** Its place in the order of acts, from 1. */
  readonly seq: number
  /** How many it changed; undefined until it has ended, and for good if its process died before. */
  readonly count: number | undefined
}

export interface ActPage {
  readonly acts: readonly ActRow[]
  /** The place to go on from; undefined if there are no more. */
  readonly next: number | undefined
}

/** The record of acts. It is never pruned. */
export interface Acts {
  /** Records that an act begins, before anything is done; answers with its place. */
  recordAct(act: NewAct): Promise<number>

  /** Records that it has ended, and how many it changed. */
  endAct(seq: number, count: number): Promise<void>

  /** The newest first, a page at a time: ask with `next` until there is none. */
  listActs(query: { readonly limit: number; readonly after?: number }): Promise<ActPage>
}
