/**
 * Payloads of services that nobody has seen: random structure, invented names. It shares nothing with the library, so that
 * a wrong reading does not agree with itself.
 */

export interface Foreign {
  readonly shape: string
  readonly event: 'message.received' | 'message.status'
  /** What an app would write as the option `facts` for this event. */
  readonly facts: Record<string, string | string[] | ((json: object) => unknown)>
  readonly body: object
  /** Customer and text of each message, or id and status of each status. */
  readonly said: readonly string[]
  /** How many elements of a list of messages are none, but a status. They have no customer of a message. */
  readonly strangers: number
  /** If it is unclear which messages there are: the name of the list in doubt. */
  readonly unclear?: string
}

type Json = Record<string, unknown>

export function foreignPayload(seed: number): Foreign {
  const chance = mulberry32(seed)
  const below = (n: number) => Math.floor(chance() * n)
  const pick = <T>(of: readonly T[]): T => of[below(of.length)] as T
  const maybe = (probability: number) => chance() < probability

  // Letters that no English name of a member consists of alone.
  const used = new Set<string>()
  const word = (): string => {
    const syllable = () => pick(['b', 'g', 'k', 'm', 'p', 'v', 'z']) + pick(['a', 'e', 'i', 'o', 'u'])
    const made = Array.from({ length: 3 + below(2) }, syllable).join('')
    if (used.has(made)) return word()
    used.add(made)
    return pick([made, made, made[0]!.toUpperCase() + made.slice(1), `${made}_${syllable()}`, `${made}-${syllable()}`])
  }
  const path = (longest: number) => Array.from({ length: 1 + below(longest) }, word)
  const number = () => `2557120${String(10_000 + below(89_999))}`
  const people = [number(), number(), number()]
  const sentence = () => Array.from({ length: 1 + below(4) }, word).join(' ')

  const isStatus = maybe(0.2)
  const levels = pick([0, 1, 1, 1, 2, 2])
  const outer = maybe(0.5) ? path(2) : []
  const lists = Array.from({ length: levels }, () => path(2))
  const at = { customer: path(2), text: path(2), id: path(2) }
  const numbersAreJson = maybe(0.3)
  const idsAreJson = maybe(0.3)
  // Whose a message is may be said for all messages of a list, or in a list of people beside the messages.
  const place = levels > 0 && !isStatus ? pick(['message', 'message', 'message', 'list', 'root', 'beside']) : 'message'
  const peopleList = word()
  const hasIds = isStatus || maybe(0.7)
  // Functions may return something else than what stands in the payload.
  const coded = maybe(0.5)
  const style = place === 'beside' ? 'paths' : pick(['paths', 'paths', 'alternatives', 'functions'])

  const styled = (phone: string): unknown =>
    numbersAreJson ? Number(phone) : pick([phone, `+${phone}`, `+${phone.slice(0, 3)} ${phone.slice(3)}`])

  const root: Json = {}
  const said: string[] = []
  let count = 0
  let crowded = false

  /** Lists inside a message: things offered, ordered, mentioned or shared. None is a message. */
  const innocents = (into: Json): void => {
    const holder = maybe(0.3) ? put(into, [word()], {}) : into
    for (let i = below(3); i > 0; i--) {
      const names = [word(), word(), word()] as const
      const element = pick<() => unknown>([
        () => ({ [names[0]]: below(1_000), [names[1]]: sentence() }),
        () => ({ [names[0]]: number(), [names[1]]: sentence(), [names[2]]: `z-${below(1e9)}` }),
        () => sentence(),
        () => below(1e6),
        () => ({ [names[0]]: { [names[1]]: [sentence(), sentence()] } }),
      ])
      put(holder, [word()], Array.from({ length: below(6) }, element))
    }
  }

  const message = (customer: string): Json => {
    const made: Json = {}
    const id = idsAreJson ? 1_000_000 + seed * 10 + count : `z-${seed}-${count}`
    count++
    if (maybe(0.5)) innocents(made)
    if (place === 'message') put(made, at.customer, styled(customer))
    if (hasIds) put(made, at.id, id)
    const text = isStatus ? pick(['sent', 'delivered', 'read']) : `${sentence()} ${count}`
    put(made, at.text, style === 'functions' && coded ? reversed(text) : text)
    if (maybe(0.5)) innocents(made)
    said.push(isStatus ? `${id}: ${text}` : `${customer}: ${text}`)
    return made
  }

  const base = outer.length > 0 ? put(root, outer, {}) : root
  if (maybe(0.5)) innocents(base)
  const most = 1 + below(5)
  const shared = pick(people)
  if (levels === 0) {
    Object.assign(base, message(pick(people)))
  } else {
    const groups = levels === 1 ? 1 : 1 + below(3)
    const listsMade = Array.from({ length: groups }, () => {
      const whose = place === 'list' ? pick(people) : shared
      const size = levels === 1 ? most : 1 + below(3)
      return {
        whose,
        messages: Array.from({ length: size }, () => message(place === 'message' ? pick(people) : whose)),
      }
    })
    if (levels === 1) {
      put(base, lists[0]!, listsMade[0]!.messages)
      if (place === 'list') put(base, at.customer, styled(listsMade[0]!.whose))
    } else {
      const entries = listsMade.map(({ whose, messages }) => {
        const entry: Json = {}
        if (place === 'list') put(entry, at.customer, styled(whose))
        put(entry, lists[1]!, messages)
        return entry
      })
      put(base, lists[0]!, entries)
    }
    if (place === 'root') put(base, at.customer, styled(shared))
    if (place === 'beside') {
      crowded = maybe(0.4)
      const listed = crowded ? people : [shared]
      put(
        base,
        [peopleList],
        listed.map((phone) => put2({}, at.customer, styled(phone))),
      )
    }
  }
  const strangers =
    levels === 1 && place === 'message' && style !== 'functions' && !isStatus && maybe(0.3) ? 1 + below(2) : 0
  for (let i = strangers; i > 0; i--) {
    const list = valueAt(base, lists[0]!.join('.')) as unknown[]
    list.splice(below(list.length + 1), 0, { [word()]: `z-${below(1e9)}`, [word()]: 'read', [word()]: number() })
  }
  if (maybe(0.4)) innocents(base)
  if (!isStatus && maybe(0.3)) {
    const [id, state, to] = [word(), word(), word()]
    put(
      base,
      [word()],
      people.map((phone) => ({ [id]: `z-${below(1e9)}`, [state]: 'read', [to]: phone })),
    )
  }

  const text = (steps: readonly string[]) => steps.join('.')
  const inList = [...outer, ...lists.flatMap((steps) => [...steps, '[0]'])].join('.').replaceAll('.[0]', '[0]')
  const under = (prefix: string, steps: readonly string[]) => (prefix === '' ? text(steps) : `${prefix}.${text(steps)}`)
  const outerList = levels === 2 ? [...outer, ...lists[0]!].join('.') + '[0]' : text(outer)
  const customer = {
    message: under(inList, at.customer),
    list: under(outerList, at.customer),
    root: under(text(outer), at.customer),
    beside: under(`${under(text(outer), [peopleList])}[0]`, at.customer),
  }[place] as string
  const paths = {
    customer,
    ...(hasIds && { messageId: under(inList, at.id) }),
    [isStatus ? 'status' : 'text']: under(inList, at.text),
  }
  const facts = Object.fromEntries(
    Object.entries(paths).map(([name, where]) => {
      if (style === 'functions')
        return [
          name,
          (json: object) => {
            const value = valueAt(json, where)
            return coded && typeof value === 'string' && /text|status/.test(name) ? reversed(value) : value
          },
        ]
      return [name, style === 'alternatives' ? [`${word()}.${word()}[0].${word()}`, where] : where]
    }),
  )
  return {
    shape: `${seed}: ${isStatus ? 'statuses' : 'messages'}, ${levels} lists, whose in ${place}, by ${style}`,
    event: isStatus ? 'message.status' : 'message.received',
    facts,
    body: root,
    said,
    strangers,
    ...(crowded && { unclear: peopleList }),
  }
}

function put<T>(into: Json, steps: readonly string[], value: T): T {
  let holder = into
  for (const step of steps.slice(0, -1)) holder = (holder[step] ??= {}) as Json
  holder[steps.at(-1) as string] = value
  return value
}

function put2(into: Json, steps: readonly string[], value: unknown): Json {
  put(into, steps, value)
  return into
}

function reversed(text: string): string {
  return Array.from(text).reverse().join('')
}

function valueAt(json: unknown, path: string): unknown {
  return path
    .split(/[.[\]]+/)
    .filter(Boolean)
    .reduce<unknown>((value, step) => (value as Json | undefined)?.[step], json)
}

function mulberry32(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}
