/** The shop's orders. Your app asks a database. */
const states = new Map<string, 'ready' | 'underway'>([
  ['7781', 'ready'],
  ['7782', 'underway'],
])

export async function stateOf(order: string): Promise<'ready' | 'underway' | undefined> {
  return states.get(order)
}
