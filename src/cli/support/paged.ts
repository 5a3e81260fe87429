/** The most rows in memory at a time. */
const PAGE = 200

export interface PageOf<Next> {
  readonly limit: number
  readonly after?: Next
}

/** Yields the rows of a list, page by page, up to a limit. */
export async function* paged<Row, Next>(
  read: (page: PageOf<Next>) => Promise<{ readonly rows: readonly Row[]; readonly next: Next | undefined }>,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<readonly Row[]> {
  let left = limit
  let after: Next | undefined
  do {
    const { rows, next } = await read({ limit: Math.min(left, PAGE), ...(after !== undefined && { after }) })
    yield rows
    left -= rows.length
    after = next
  } while (left > 0 && after !== undefined)
}
