import ts from 'typescript'

/** The docstring of a declaration or a member as Markdown: text, parameters, result, errors. */
export function commentOf(node: ts.Node): string {
  const comment = ts.getJSDocCommentsAndTags(documented(node)).findLast(ts.isJSDoc)
  if (comment === undefined) return ''
  const tags: readonly ts.JSDocTag[] = comment.tags ?? []
  const parameters = tags.filter(ts.isJSDocParameterTag).map((tag) => `- \`${tag.name.getText()}\`: ${proseOf(tag)}`)
  const results = tags.filter(ts.isJSDocReturnTag).map((tag) => `Returns ${proseOf(tag)}`)
  const errors = tags.filter(ts.isJSDocThrowsTag).map((tag) => `Throws ${linked(proseOf(tag))}`)
  return [proseOf(comment), parameters.join('\n'), ...results, ...errors].filter((part) => part !== '').join('\n\n')
}

/** The text of a comment without what begins its lines. */
export function textOf(comment: string): string {
  return comment.replaceAll(/^\s*\* ?/gm, '').trim()
}

/** A variable has its docstring at the statement. */
function documented(node: ts.Node): ts.Node {
  return ts.isVariableDeclaration(node) ? node.parent.parent : node
}

function proseOf(part: ts.JSDoc | ts.JSDocTag): string {
  return (ts.getTextOfJSDocComment(part.comment) ?? '').replace(/^- /, '').trim()
}

/** Codes of errors lead to their sections. */
function linked(text: string): string {
  return text.replaceAll(/`([a-z]+(?:_[a-z]+)+)`/g, '[`$1`](../errors.md#$1)')
}
