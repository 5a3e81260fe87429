/** Those that have every word of the query in them, whatever its case; those that begin with it first. */
export function search<T extends { readonly does: string; readonly group: string }>(
  all: readonly T[],
  query: string,
): readonly T[] {
  const wanted = query.trim().toLowerCase()
  if (wanted === '') return all
  const words = wanted.split(/\s+/)
  const found = all.filter(({ does, group }) => {
    const text = `${does} ${group}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
  const isFirst = ({ does }: T) => does.toLowerCase().startsWith(wanted)
  return [...found.filter(isFirst), ...found.filter((it) => !isFirst(it))]
}
