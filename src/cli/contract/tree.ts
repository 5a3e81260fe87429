/** One part of a description, such as an endpoint, a parameter or a member of a body. */
export interface Node {
  /** The description's own words on this part: its type, its limits, and if it is required. */
  readonly properties: Map<string, string>
  /** The parts inside this one, by name. */
  readonly children: Map<string, Node>
  /** A live description may omit this part without meaning that it does not exist. */
  readonly optional?: boolean
}

export function node(optional = false): Node {
  return { properties: new Map(), children: new Map(), ...(optional && { optional }) }
}

/**
 * `changed`, `new` and `missing` are seen from the live description. `silent`: the live description omits an optional
 * part of the built-in contract.
 */
export interface Difference {
  readonly kind: 'changed' | 'new' | 'missing' | 'silent'
  readonly place: string
  /** The property that differs, such as a limit, an enum or `required`; undefined for the whole place. */
  readonly what?: string
  readonly builtIn?: string
  readonly live?: string
}

/** Lists the differences. A part that is missing or new is one difference, whatever is inside it. */
export function differences(builtIn: Node, live: Node, place = ''): Difference[] {
  const found: Difference[] = []
  for (const what of new Set([...builtIn.properties.keys(), ...live.properties.keys()])) {
    const [ours, theirs] = [builtIn.properties.get(what), live.properties.get(what)]
    // Without a type the contract accepts any.
    if (what === 'type' && ours === undefined) continue
    if (ours !== theirs)
      found.push({ kind: 'changed', place, what, ...optional('builtIn', ours), ...optional('live', theirs) })
  }
  for (const name of new Set([...builtIn.children.keys(), ...live.children.keys()])) {
    const [ours, theirs] = [builtIn.children.get(name), live.children.get(name)]
    const inner = placeOf(place, name)
    if (ours && theirs) found.push(...differences(ours, theirs, inner))
    else if (theirs) found.push({ kind: 'new', place: inner })
    else found.push({ kind: ours?.optional ? 'silent' : 'missing', place: inner })
  }
  return found
}

function placeOf(place: string, name: string): string {
  if (place === '') return name
  return name === '[]' ? `${place}[]` : `${place} ${name}`
}

function optional(name: 'builtIn' | 'live', value: string | undefined) {
  return value === undefined ? {} : { [name]: value }
}
