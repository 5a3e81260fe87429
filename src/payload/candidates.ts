import { Names, wordsOf } from './names.ts'

/**
 * How much a place says.
 * `first`: a place of the first choice, which can be sure.
 * `next`: asked after them, and whether it agrees with what was found.
 * `last`: may hold something else, such as an id of another thing or our own number; read only where nothing
 * better stands, and never asked whether it agrees.
 */
export type Choice = 'first' | 'next' | 'last'

/** A place where something may stand, below the object that is searched. */
export interface Candidate {
  readonly slot: string
  /** In plain spelling, for instance `customer.phone` or `errors[0].message`. */
  readonly path: string
  readonly choice: Choice
  readonly rank: number
}

/** Places in the order of their rank. */
export type Places = readonly (readonly [choice: Choice, path: string])[]

/** What is looked for in one object: the slot's name → its places. */
export type Table = Readonly<Record<string, Places>>

/** Places from a list of paths with spaces between; `customer.{phone,number}` is short for two. */
export const first = (paths: string): Places => places('first', paths)
export const next = (paths: string): Places => places('next', paths)
export const last = (paths: string): Places => places('last', paths)

function places(choice: Choice, paths: string): Places {
  return wordsOf(paths)
    .flatMap(expand)
    .map((path) => [choice, path] as const)
}

function expand(path: string): string[] {
  const braces = /^(.*?)\{([^}]*)\}(.*)$/.exec(path)
  if (!braces) return [path]
  const [, before = '', inside = '', after = ''] = braces
  return inside.split(',').flatMap((each) => expand(before + each + after))
}

/** Candidates by the members that lead to them, so that one pass over an object's members finds all. */
export interface Branch {
  readonly here: Candidate[]
  /** Below an object. */
  below?: Names<Branch>
  /** Below the first element of a list, and below a list's only one. */
  listFirst?: Branch
  listOnly?: Branch
}

export function compile(table: Table): Names<Branch> {
  const root: Branch = { here: [] }
  for (const [slot, list] of Object.entries(table))
    for (const [rank, [choice, path]] of list.entries())
      branchAt(root, path).here.push({ slot, path, choice, rank: choice === 'last' ? rank + LAST : rank })
  return root.below ?? new Names()
}

/** Ranks from here on come after everything else, wherever it stands. */
export const LAST = 10_000

function branchAt(root: Branch, path: string): Branch {
  let branch = root
  for (const step of path.split(/\.|(?=\[)/)) {
    if (step === '[0]') branch = branch.listFirst ??= { here: [] }
    else if (step === '[only]') branch = branch.listOnly ??= { here: [] }
    else {
      const below: Names<Branch> = (branch.below ??= new Names())
      const next = below.get(step) ?? { here: [] }
      below.set(step, next)
      branch = next
    }
  }
  return branch
}
