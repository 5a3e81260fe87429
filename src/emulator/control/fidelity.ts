import { type Assumptions, DEFAULT_ASSUMPTIONS, SWITCHES } from '../model/assumptions.ts'
import type { State } from '../state.ts'
import { type Behaviour, BEHAVIOURS } from './behaviours.ts'

export type FidelityView = Omit<Behaviour, 'switch'> & {
  readonly switch?: {
    readonly name: string
    readonly values: readonly (string | number)[] | string
    readonly usual: unknown
    readonly current: unknown
  }
}

/** Every behaviour with its label; if it can be switched, with its values and its present setting. */
export function showFidelity({ assumptions }: State): { items: readonly FidelityView[] } {
  return {
    items: BEHAVIOURS.map(({ switch: name, ...row }) =>
      name === undefined
        ? row
        : {
            ...row,
            switch: {
              name,
              values: SWITCHES[name].values,
              usual: DEFAULT_ASSUMPTIONS[name],
              current: assumptions[name],
            },
          },
    ),
  }
}

export function showAssumptions({ assumptions }: State): Assumptions {
  return assumptions
}

/** Switches some of the assumptions; the others stay as they are. */
export function changeAssumptions(state: State, change: Partial<Assumptions>): Assumptions {
  Object.assign(state.assumptions, change)
  return showAssumptions(state)
}
