/** What the phone shows, as far as a terminal can. */
export interface Shown {
  readonly id: string
  readonly direction: string
  readonly text: string | null
  readonly refused?: { readonly code: string | null; readonly message: string }
  readonly template?: { readonly name: string }
  readonly interactive?: {
    readonly buttons?: readonly Option[]
    readonly sections?: readonly { rows: readonly Option[] }[]
  }
}

export interface Option {
  readonly id: string
  readonly title: string
}

export function optionsOf({ interactive }: Shown): readonly Option[] {
  return interactive?.buttons ?? interactive?.sections?.flatMap((section) => section.rows) ?? []
}

export function rendered(item: Shown): string {
  if (item.refused) return `  x not sent: ${item.text ?? ''}\n    ${item.refused.code ?? ''}: ${item.refused.message}`
  const head = item.template ? `[template ${item.template.name}] ${item.text ?? ''}` : (item.text ?? '')
  return [`  < ${head}`, ...optionsOf(item).map(({ title }, index) => `    ${index + 1}  ${title}`)].join('\n')
}
