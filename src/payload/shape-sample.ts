/**
 * A body of a shape, given by its paths with their types: `data.from:string`, `messages[].text:null`. Its values are
 * empty. A place with several types needs several bodies; together they have all of them.
 */
export function samplesOf(places: readonly string[]): unknown[] {
  const root: Place = { types: new Set(['object']), members: new Map() }
  for (const place of places) {
    const end = place.lastIndexOf(':')
    placeAt(root, place.slice(0, end)).types.add(place.slice(end + 1))
  }
  return valuesAt(root)
}

interface Place {
  readonly types: Set<string>
  readonly members: Map<string, Place>
  elements?: Place
}

const newPlace = (): Place => ({ types: new Set(), members: new Map() })

function placeAt(root: Place, path: string): Place {
  let place = root
  for (const step of path.split(/\.|(?=\[\])/)) {
    if (step === '[]') place = place.elements ??= newPlace()
    else {
      const member = place.members.get(step) ?? newPlace()
      place.members.set(step, member)
      place = member
    }
  }
  return place
}

/** One value for each type at a place, more if what stands below has more. */
function valuesAt(place: Place): unknown[] {
  return [...place.types].flatMap((type) => (VALUES[type] ?? VALUES['json'] ?? (() => []))(place))
}

const VALUES: Readonly<Record<string, (place: Place) => unknown[]>> = {
  string: () => [''],
  json: () => ['{}'],
  number: () => [0],
  boolean: () => [false],
  null: () => [null],
  array: ({ elements }) => [elements ? valuesAt(elements) : []],
  object: ({ members }) => {
    const values = [...members].map(([name, member]) => [name, valuesAt(member)] as const)
    const count = Math.max(1, ...values.map(([, each]) => each.length))
    return Array.from({ length: count }, (_, i) =>
      Object.fromEntries(values.map(([name, each]) => [name, each[Math.min(i, each.length - 1)]])),
    )
  },
}
