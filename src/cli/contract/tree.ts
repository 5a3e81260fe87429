/** What a description says of one thing, and of the parts of it. */
export interface Node {
  readonly says: Map<string, string>
  readonly parts: Map<string, Node>
  /** A live description may leave it out without saying that it is not there. */
  readonly optional?: boolean
}

export function node(optional = false): Node {
  return { says: new Map(), parts: new Map(), ...(optional && { optional }) }
}

/**
 * `changed`, `new` and `missing` are seen from the live description; `silent`: it does not mention what the built-in
 * contract knows, and does not say otherwise either.
 */
export interface Difference {
  readonly kind: 'changed' | 'new' | 'missing' | 'silent'
  readonly place: string
  /** What is said there: a limit, an enum, `required`; undefined where the whole place is meant. */
  readonly what?: string
  readonly builtIn?: string
  readonly live?: string
}

/** How the live one differs; where a whole part is missing or new, that is all that is said of it. */
export function differences(builtIn: Node, live: Node, place = ''): Difference[] {
  const found: Difference[] = []
  for (const what of new Set([...builtIn.says.keys(), ...live.says.keys()])) {
    const [ours, theirs] = [builtIn.says.get(what), live.says.get(what)]
    // Where the contract names no type it takes any.
    if (what === 'type' && ours === undefined) continue
    if (ours !== theirs)
      found.push({ kind: 'changed', place, what, ...optional('builtIn', ours), ...optional('live', theirs) })
  }
  for (const name of new Set([...builtIn.parts.keys(), ...live.parts.keys()])) {
    const [ours, theirs] = [builtIn.parts.get(name), live.parts.get(name)]
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
