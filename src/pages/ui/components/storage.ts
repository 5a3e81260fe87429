/** Reads from the browser's storage; null if there is no value or no storage. */
export function stored(of: 'localStorage' | 'sessionStorage', key: string): string | null {
  try {
    return globalThis[of].getItem(key)
  } catch {
    return null
  }
}

/** Without browser storage the value lasts only as long as the page. */
export function store(of: 'localStorage' | 'sessionStorage', key: string, value: string): void {
  try {
    globalThis[of].setItem(key, value)
  } catch {
    return
  }
}
