import { Client, types } from 'pg'

export type Row = Readonly<Record<string, unknown>>

const INT8 = 20

/** Types as the store has them: a whole number is one. */
export const NUMBERS = {
  getTypeParser: ((type: number, format: 'text') =>
    type === INT8 ? Number : (types.getTypeParser(type, format) as unknown)) as typeof types.getTypeParser,
}

/** Reads with a separate connection. */
export async function readPostgres(url: string, query: string): Promise<Row[]> {
  const client = new Client({ connectionString: url, options: '-c search_path=switchhook,public' })
  // A server that ends says so beside the query, which fails.
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query({ text: query, types: NUMBERS })).rows as Row[]
  } finally {
    await client.end()
  }
}
