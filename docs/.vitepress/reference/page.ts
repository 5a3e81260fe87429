import ts from 'typescript'
import { commentOf, textOf } from './docstring.ts'
import { isHidden, membersOf, signatureOf } from './signature.ts'
import type { Named, Surface } from './surface.ts'

/** The page of one entry. */
export function pageOf({ entry, file, exported, leanedOn, linksFrom }: Surface): string {
  const parts = [
    `# ${entry.name}`,
    introOf(file),
    ...exported.map((named) => section('##', named)),
    ...(leanedOn.length > 0 ? ['## What these use', 'Types that are not exported.'] : []),
    ...leanedOn.map((named) => section('###', named)),
  ]
  return `${paragraphs(parts)}\n`

  function section(heading: string, { name, id, symbol }: Named): string {
    const links = linksFrom(symbol)
    return paragraphs([
      `${heading} ${name} {:#${id}}`,
      ...(symbol.declarations ?? []).filter((one) => !isHidden(one)).map(declarationText),
      links.length > 0 ? `See ${links.join(', ')}.` : '',
    ])
  }
}

function declarationText(declaration: ts.Declaration): string {
  const members = membersOf(declaration).map(memberText)
  return paragraphs([`\`\`\`ts\n${signatureOf(declaration)}\n\`\`\``, commentOf(declaration), members.join('\n')])
}

function memberText(member: ts.Node): string {
  const members = membersOf(member).map(memberText)
  return `- \`${signatureOf(member)}\`${indented(paragraphs([commentOf(member), members.join('\n')]))}`
}

/** The purpose of an entry, if its file begins with that. */
function introOf(file: ts.SourceFile): string {
  const [statement] = file.statements
  if (statement && !ts.isExportDeclaration(statement)) return ''
  const [first] = ts.getLeadingCommentRanges(file.text, 0) ?? []
  const comment = first && /^\/\*\*([^]*?)\*\//.exec(file.text.slice(first.pos, first.end))?.[1]
  return comment === undefined ? '' : textOf(comment)
}

function indented(text: string): string {
  return text === '' ? '' : `\n\n${text.replaceAll(/^(?=.)/gm, '  ')}\n`
}

function paragraphs(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n')
}
