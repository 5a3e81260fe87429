const NAMES: Readonly<Record<string, string>> = {
  Escape: 'Esc',
  ' ': 'Space',
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
}

/** The keys of a shortcut as they stand on a keyboard, one after the other: `Mod+k` is `⌘ K` or `Ctrl K`. */
export function namesOf(keys: string, isMac: boolean): readonly string[] {
  return keys.split(' ').flatMap((one) => {
    const [, key = ''] = /^Mod\+(.+)$/.exec(one) ?? []
    if (key !== '') return [isMac ? '⌘' : 'Ctrl', key.toUpperCase()]
    return /^[A-Z]$/.test(one) ? ['Shift', one] : [NAMES[one] ?? one]
  })
}

/** What a button says of its key when it is pointed at. */
export function withKey(words: string, key: string): string {
  return `${words} (${key})`
}
