import { Names, wordsOf } from './names.ts'

/**
 * How far a place can be trusted. `first`: a fact found here is sure. `next`: read after the first choices, and
 * compared with them. `last`: may contain something else, such as another id or our own number; read only if nothing
 * better is found, and never compared.
 */
export type Choice = 'first' | 'next' | 'last'

const WHO = ['customer', 'userId', 'ours', 'numberId', 'direction'] as const
const MESSAGE = ['messageId', 'upstreamId', 'at', 'kind', 'text', 'status', 'failureReason', 'eventName'] as const
const TAP = ['interactive', 'option', 'optionId', 'optionTitle', 'quickReply', 'quickReplyTitle'] as const
const MEDIA = ['mediaUrl', 'mediaMime', 'mediaFilename', 'mediaCaption', 'milliseconds', 'seconds', 'unitless'] as const
const TEMPLATE = ['templateId', 'templateName', 'templateLanguage', 'templateReason', 'category'] as const
const TEMPLATE_STATUS = ['templateStatus', 'previousStatus'] as const

export const ROLES = [...WHO, ...MESSAGE, ...TAP, ...MEDIA, ...TEMPLATE, ...TEMPLATE_STATUS] as const

export type Role = (typeof ROLES)[number]

export interface Candidate {
  readonly role: Role
  /** In plain spelling, for instance `customer.phone` or `errors[0].message`. */
  readonly path: string
  readonly choice: Choice
  readonly rank: number
}

export type Places = readonly (readonly [choice: Choice, path: string])[]

export type Table = { readonly [R in Role]?: Places }

export interface Tables {
  readonly message: Names<Branch>
  readonly above: Names<Branch>
}

/** Makes places from paths separated by spaces. `customer.{phone,number}` is short for two paths. */
export const first = (paths: string): Places => places('first', paths)
export const next = (paths: string): Places => places('next', paths)
export const last = (paths: string): Places => places('last', paths)

function places(choice: Choice, paths: string): Places {
  return wordsOf(paths)
    .flatMap(expandBraces)
    .map((path) => [choice, path] as const)
}

function expandBraces(path: string): string[] {
  const braces = /^(.*?)\{([^}]*)\}(.*)$/.exec(path)
  if (!braces) return [path]
  const [, before = '', inside = '', after = ''] = braces
  return inside.split(',').flatMap((each) => expandBraces(before + each + after))
}

/** Candidates by the members that lead to them, so that one pass over an object's members finds all of them. */
export interface Branch {
  readonly here: Candidate[]
  below?: Names<Branch>
  listFirst?: Branch
  listOnly?: Branch
}

export function compile(table: Table): Names<Branch> {
  const root: Branch = { here: [] }
  for (const role of ROLES)
    for (const [rank, [choice, path]] of (table[role] ?? []).entries())
      branchAt(root, path).here.push({ role, path, choice, rank: choice === 'last' ? rank + LAST_RANK : rank })
  return root.below ?? new Names()
}

/** Candidates of the last choice rank from here: after all others, however near those are to the message. */
export const LAST_RANK = 10_000

function branchAt(root: Branch, path: string): Branch {
  let branch = root
  for (const step of path.split(/\.|(?=\[)/)) {
    if (step === '[0]') branch = branch.listFirst ??= { here: [] }
    else if (step === '[only]') branch = branch.listOnly ??= { here: [] }
    else {
      const below: Names<Branch> = (branch.below ??= new Names())
      const child = below.get(step) ?? { here: [] }
      below.set(step, child)
      branch = child
    }
  }
  return branch
}
