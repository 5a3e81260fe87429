export const READY = 'ready to be picked up'

/** The shop's orders. Your app asks a database. */
const states = new Map([
  ['7781', READY],
  ['7782', 'on its way'],
])

export async function stateOf(order: string): Promise<string | undefined> {
  return states.get(order)
}
