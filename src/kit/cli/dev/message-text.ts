import type { Shown } from '../../../emulator/recording/message-view.ts'

/** A message without its options, on one line unless its text has more: `[document menu.pdf] Our menu`. */
export function headline({ text, template, media }: Shown): string {
  const parts = [
    template && `[template ${template.name}]`,
    media && `[${media.kind} ${media.filename ?? media.url}]`,
    text,
  ]
  return parts.filter(Boolean).join(' ')
}

/** The lines below the headline: the footer, the link, and the options with the numbers that tap them. */
export function lowerLines({ options, link, sections, footer }: Shown): string[] {
  let number = 0
  const option = ({ title, description }: { title: string; description?: string | undefined }) =>
    `${++number}  ${title}${description === undefined ? '' : ` — ${description}`}`
  const list = sections?.flatMap(({ title, rows }) => [...(title === undefined ? [] : [title]), ...rows.map(option)])
  return [
    ...(footer === undefined ? [] : [`[footer ${footer}]`]),
    ...(link ? [`[link ${link.title} → ${link.url}]`] : []),
    ...(list ?? options.map(option)),
  ]
}
