/** Reads the plans that a server has logged by auto_explain, with the rows that each of their steps has read. */
import { LARGE_TABLES } from './fill.ts'

/** A server's settings for it; a database turns it on by `auto_explain.log_min_duration = 0`. */
export const EXPLAINING = [
  'session_preload_libraries=auto_explain',
  'auto_explain.log_format=json',
  'auto_explain.log_analyze=on',
  'auto_explain.log_timing=off',
  'auto_explain.log_nested_statements=on',
  'auto_explain.log_parameter_max_length=200',
]

export interface Explained {
  /** Without the numbers in it: times and ids make no other statement of it. */
  readonly statement: string
  readonly ms: number
  readonly plan: Step
}

/** A node of a plan. */
export interface Step {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Index Cond'?: string
  readonly Filter?: string
  readonly 'Actual Rows'?: number
  readonly 'Actual Loops'?: number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly Plans?: readonly Step[]
}

const ENTRY = /duration: ([\d.]+) ms {2}plan:\n(\t\{\n[\s\S]*?\n\t\}\n)/g

/** Those that two processes have written into each other are left out: a statement comes often. */
export function explained(log: string): readonly Explained[] {
  return [...log.matchAll(ENTRY)].flatMap(([, ms, text = '']) => {
    const told = parsed(text)
    if (!told) return []
    const statement = told['Query Text']
      .trim()
      .replaceAll(/\s+/g, ' ')
      .replaceAll(/\b\d+\b/g, '…')
    return [{ statement, ms: Number(ms), plan: told.Plan }]
  })
}

function parsed(text: string): { readonly 'Query Text': string; readonly Plan: Step } | undefined {
  try {
    return JSON.parse(text) as { 'Query Text': string; Plan: Step }
  } catch {
    return undefined
  }
}

/** The steps of the plan that have read more than so many rows of a large table, or sorted them, the worst first. */
export function stepsOver(rows: number, { plan }: Explained): readonly Step[] {
  return stepsOf(plan)
    .filter((step) => rowsOf(step) > rows)
    .toSorted((a, b) => rowsOf(b) - rowsOf(a))
}

export function told(step: Step): string {
  const { 'Node Type': node, 'Relation Name': table, 'Index Name': index, 'Index Cond': by, Filter: filter } = step
  const of = [table, index && `by ${index}`, by, filter && `if ${filter}`].filter((part) => part !== undefined)
  return `${node} ${of.join(' ')}: ${rowsOf(step)} rows in ${step['Actual Loops']} loops`
}

function stepsOf(step: Step): readonly Step[] {
  return [step, ...(step.Plans ?? []).flatMap(stepsOf)]
}

const LARGE: ReadonlySet<string> = new Set(LARGE_TABLES)
const SORTS: ReadonlySet<string> = new Set(['Sort', 'Incremental Sort', 'Hash', 'Materialize'])

/** Rows that were read in vain count too. */
function rowsOf(step: Step): number {
  const { 'Node Type': node, 'Relation Name': table = '', 'Actual Loops': loops = 0 } = step
  if (!LARGE.has(table) && !SORTS.has(node)) return 0
  const removed = (step['Rows Removed by Filter'] ?? 0) + (step['Rows Removed by Index Recheck'] ?? 0)
  return ((step['Actual Rows'] ?? 0) + removed) * loops
}
