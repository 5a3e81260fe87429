/** The number of the advisory lock of a send's key, for which nothing but sends under that very key wait. */
export function keyLock(key: string): string {
  return `hashtextextended(${key}, 0)`
}
