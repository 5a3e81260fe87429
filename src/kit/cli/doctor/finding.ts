export interface Finding {
  readonly id: string
  /** `bad`: the app will not start, or loses or leaks something. `doubt`: perhaps intended. `note`: good to know. */
  readonly state: 'ok' | 'doubt' | 'bad' | 'note'
  readonly says: string
  readonly fix?: string
}

export interface Setup {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly prod: boolean
  readonly webhook: string | undefined
}

export const ok = (id: string, says: string): Finding => ({ id, state: 'ok', says })
export const note = (id: string, says: string): Finding => ({ id, state: 'note', says })
export const doubt = (id: string, says: string, fix: string): Finding => ({ id, state: 'doubt', says, fix })
export const bad = (id: string, says: string, fix: string): Finding => ({ id, state: 'bad', says, fix })

export function badInProd({ prod }: Setup, id: string, says: string, fix: string): Finding {
  return (prod ? bad : doubt)(id, says, fix)
}
