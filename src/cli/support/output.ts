/** Terminal controls, line ends and invisible characters, all of which a text from outside may contain. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]+/gu

/** The text on one line, unable to move the cursor, to colour anything or to hide the text beside it. */
export function oneLine(text: string): string {
  return text.replaceAll(INVISIBLE, ' ')
}

/** Aligns rows in columns, without trailing spaces. */
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

/** Formats a span in its largest whole unit: `4d`, `3h`, `12m`, `45s`. */
export function age(ms: number): string {
  for (const [unit, length] of UNITS) if (ms >= length) return `${Math.floor(ms / length)}${unit}`
  return `${Math.max(0, Math.floor(ms / 1_000))}s`
}
