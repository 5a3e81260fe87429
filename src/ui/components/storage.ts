/** Reads what a browser has stored; null too in a browser without storage. */
export function stored(of: 'localStorage' | 'sessionStorage', key: string): string | null {
  try {
    return globalThis[of].getItem(key)
  } catch {
    return null
  }
}

/** In a browser without storage what was to be stored lasts as long as the page. */
export function store(of: 'localStorage' | 'sessionStorage', key: string, value: string): void {
  try {
    globalThis[of].setItem(key, value)
  } catch {
    return
  }
}
