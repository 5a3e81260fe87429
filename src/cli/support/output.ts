/** Controls of a terminal, line ends and invisible characters, which a text from outside may hold. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]+/gu

/** A text in one line, such that it cannot move the cursor, colour anything or hide what stands beside it. */
export function oneLine(text: string): string {
  return text.replaceAll(INVISIBLE, ' ')
}

/** Rows of one width per column, without spaces at their ends. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const clean = rows.map((row) => row.map(oneLine))
  const widths = (clean[0] ?? []).map((_, column) => Math.max(...clean.map((row) => row[column]?.length ?? 0)))
  return clean.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
] as const

/** A span in its largest whole unit: `4d`, `3h`, `12m`, `45s`. */
export function age(ms: number): string {
  for (const [unit, length] of UNITS) if (ms >= length) return `${Math.floor(ms / length)}${unit}`
  return `${Math.max(0, Math.floor(ms / 1_000))}s`
}

/** A time as people and programs read it; undefined stays so. */
export function iso(time: number | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toISOString()
}
