import { optionsInvalid } from '../../base/errors.ts'
import { type Choice, type Doubt, isFactName } from '../../payload/index.ts'

interface ChoiceFlags {
  readonly choose?: readonly string[]
  readonly leave?: readonly string[]
}

/** @throws SwitchhookError `options_invalid` for a flag that names no fact. */
export function choicesIn({ choose = [], leave = [] }: ChoiceFlags): Choice[] {
  const chosen = new Map<string, Choice>()
  for (const text of choose) {
    const [name = '', path] = text.split(/=(.*)/s)
    const choice = factIn(name, '--choose')
    const others = chosen.get(name)?.paths ?? []
    chosen.set(name, path === undefined ? choice : { ...choice, paths: [...others, path.trim()] })
  }
  return [...chosen.values(), ...leave.map((name) => ({ ...factIn(name, '--leave'), paths: [] }))]
}

// An event's name has dots, a fact's has none.
function factIn(name: string, flag: string): Choice {
  const [, event, fact] = /^(.+)\.(\w+)$/.exec(name.trim()) ?? []
  if (event !== undefined && fact !== undefined && isFactName(fact)) return { event, fact }
  throw optionsInvalid(
    `${flag}: expected an event and one of its facts, such as message.received.customer, with =PATH behind it if it is chosen`,
  )
}

/** The flags that settle each doubt. */
export function doubtsText(doubts: readonly Doubt[]): string[] {
  return doubts.flatMap(({ event, fact, found }) => [
    ...found.map(
      ({ path, seen, unsure }) =>
        `  --choose ${event}.${fact}=${path}   found ${seen} times, ${unsure} of them in doubt`,
    ),
    `  --leave ${event}.${fact}`,
  ])
}
