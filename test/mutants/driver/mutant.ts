/** One planted fault: a small change of the source that breaks a promise, and the tests that must notice it. */
export type Mutant = Fault & ({ promise: string; breaks?: string } | { promise?: never; breaks: string })

interface Fault {
  /** The source file, from the repository's root. */
  file: string
  /** A piece of the source that stands exactly once in the file: short, so that it outlives edits beside it. */
  from: string
  /** The text that takes its place. It must compile: a module that does not load proves nothing. */
  to: string
  /** The id of the promise in `test/promises.ts` that the fault breaks, if it has one. */
  promise?: string
  /** What the fault breaks, as one sentence, unless the promise says the same. */
  breaks?: string
  /** The tests that must fail: for each test file, a title or a part of one. */
  killedBy: Record<string, string>
}
