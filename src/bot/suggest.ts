/** At most three names that resemble a mistyped one, nearest first. */
export function suggest(meant: string, names: readonly string[]): string[] {
  const last = lastSegment(meant)
  return names
    .map((name) => ({ name, far: Math.min(distance(meant, name), distance(last, lastSegment(name))) }))
    .filter(({ far }) => far <= Math.max(1, last.length / 3))
    .sort((a, b) => a.far - b.far)
    .slice(0, 3)
    .map(({ name }) => name)
}

function lastSegment(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1)
}

/** The edits from one word to another: a letter added, left out or changed, or two neighbours swapped. */
function distance(a: string, b: string): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let line = 1; line <= a.length; line++) {
    const next = [line]
    for (let column = 1; column <= b.length; column++) {
      const changed = (row[column - 1] ?? 0) + (b[column - 1] === a[line - 1] ? 0 : 1)
      const swapped = a[line - 1] === b[column - 2] && a[line - 2] === b[column - 1]
      const edits = [changed, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1]
      next.push(Math.min(...edits, ...(swapped ? [(before[column - 2] ?? 0) + 1] : [])))
    }
    before = row
    row = next
  }
  return row[b.length] ?? 0
}

/**
 * The known names that a misspelt name may mean, quoted and joined by `or`: it has one wrong letter, differs only in case
 * or separators, or is a part of one, such as `message` or `delivered`. Undefined if it is known, or unlike all of them.
 */
export function misspelt(name: string, all: readonly string[]): string | undefined {
  if (all.includes(name)) return undefined
  const letters = lettersOf(name)
  const meant = all.filter(
    (known) => distance(name, known) <= 1 || lettersOf(known) === letters || known.split(/[.:]/).includes(name),
  )
  // `message` is a part of many names: the events are enough.
  const events = meant.filter((known) => !known.includes(':'))
  const named = (events.length > 0 ? events : meant).map((known) => `'${known}'`)
  return named.length === 0 ? undefined : named.join(' or ')
}

function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z]/g, '')
}
