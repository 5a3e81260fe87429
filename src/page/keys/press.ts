/** A key that went down, as far as shortcuts care. */
export interface Press {
  readonly key: string
  /** Ctrl, or Cmd on a Mac. */
  readonly mod: boolean
  readonly alt: boolean
  /** Where the focus is: what is written there stays there. */
  readonly focus: Focus
  /** When, in milliseconds of any one clock. */
  readonly at: number
}

/** `writing`: in a field that takes letters. `pressing`: on something that Enter or space presses. */
export type Focus = 'writing' | 'pressing' | 'elsewhere'

/** So long the second key of two may take. */
export const SECOND_KEY_MS = 1_000

/** The name of a press: `?`, `Enter`, `Mod+k`. Undefined for one that is no shortcut's, whatever is registered. */
export function nameOf({ key, mod, alt, focus }: Press): string | undefined {
  if (alt) return undefined
  if (mod) return `Mod+${key.length === 1 ? key.toLowerCase() : key}`
  if (focus === 'writing') return undefined
  if (focus === 'pressing' && (key === 'Enter' || key === ' ')) return undefined
  return key
}

/** Makes presses into the keys of shortcuts, one after the other or two together: answers what may be meant. */
export function createReader() {
  let before: { readonly name: string; readonly at: number } | undefined
  return function meant(press: Press): readonly string[] {
    const name = nameOf(press)
    const first = before
    before = undefined
    if (name === undefined) return []
    before = { name, at: press.at }
    const both = first !== undefined && press.at - first.at <= SECOND_KEY_MS ? [`${first.name} ${name}`] : []
    return [...both, name]
  }
}
