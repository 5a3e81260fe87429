import type { Assumptions } from '../assumptions.ts'
import { FIDELITY, type Label } from '../fidelity.ts'
import type { HttpRequest } from '../http/messages.ts'
import { DEFAULT_ASSUMPTIONS } from '../assumptions.ts'
import type { State } from '../state.ts'
import { assumptionsSchema, SWITCHES } from '../switches.ts'
import { readControl } from './request.ts'

export type FidelityView = {
  readonly id: string
  readonly behaviour: string
  /** `spec`: as specified. `assumed`: the specification does not show it. `emulator`: the emulator's own. */
  readonly label: Label
  /** The rule that it comes from. */
  readonly rule: string
  readonly switch?: {
    readonly name: string
    readonly values: readonly (string | number)[] | string
    readonly usual: unknown
    readonly current: unknown
  }
}

/** Every behaviour with its label, and where it can be switched, how and how it is set now. */
export function showFidelity({ assumptions }: State): { items: readonly FidelityView[] } {
  return {
    items: FIDELITY.map(({ switch: name, ...row }) =>
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
export function changeAssumptions(state: State, request: HttpRequest): Assumptions {
  return switchTo(state, readControl(request, assumptionsSchema))
}

export function switchTo(state: State, change: Partial<Assumptions>): Assumptions {
  Object.assign(state.assumptions, change)
  return showAssumptions(state)
}
