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

/** The Levenshtein distance of two words. */
export function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (const [index, letter] of a.split('').entries()) {
    const next = [index + 1]
    for (let column = 1; column <= b.length; column++) {
      const changed = (row[column - 1] ?? 0) + (b[column - 1] === letter ? 0 : 1)
      next.push(Math.min(changed, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
