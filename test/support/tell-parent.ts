/**
 * Tells the test that started this process. A test that has failed may be gone by then, with its end of the channel; the
 * callback takes that error, which would otherwise end this process and be printed as if it were one of the run.
 */
export function tellParent(message: unknown): void {
  process.send?.(message, () => {})
}
