import { read } from '../wire/control.ts'

interface Logged {
  readonly items: readonly { readonly id: string; readonly payload: string }[]
}

/** What the events said that the service still knows, by their ids. */
export async function readPayloads(): Promise<ReadonlyMap<string, unknown>> {
  const { items } = await read<Logged>('events')
  return new Map(items.map(({ id, payload }) => [id, parsed(payload)]))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
