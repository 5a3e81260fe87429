export interface ReadRows<Row> {
  readonly rows: Row[]
  readonly pages: number
}

/**
 * The rows with one more page: a new object, which tells that the list has changed, around the same array.
 * To copy all rows for 200 more would cost more with each page.
 */
export function grown<Row>({ rows, pages }: ReadRows<Row>, page: readonly Row[]): ReadRows<Row> {
  rows.push(...page)
  return { rows, pages: pages + 1 }
}
