import ts from 'typescript'

/** A longer value is shown only by its name. */
const LONGEST_VALUE_LINES = 60

/** The form of a declaration or a member, without its body; that of a member is one line. */
export function signatureOf(node: ts.Node): string {
  if (ts.isVariableDeclaration(node)) return variable(node)
  if (ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node)) return upTo(node, node.members.pos)
  if (ts.isFunctionDeclaration(node)) return upTo(node, node.body?.pos)
  const nested = documentedType(node)
  if (nested) return upTo(node, nested.pos)
  if (ts.isClassElement(node) || ts.isTypeElement(node)) return upTo(node, bodyOf(node)).replaceAll(/\s+/g, ' ')
  return upTo(node, undefined)
}

/** The public members of an interface or a class, or of a member whose own members have docstrings. */
export function membersOf(node: ts.Node): readonly ts.Node[] {
  const nested = documentedType(node)
  if (nested) return [...nested.members]
  if (!ts.isInterfaceDeclaration(node) && !ts.isClassDeclaration(node)) return []
  return [...node.members].filter((member) => !isHidden(member))
}

/** Private, or marked `@internal`: the package's declarations leave it out. */
export function isHidden(node: ts.Node): boolean {
  if (ts.getJSDocTags(node).some((tag) => tag.tagName.text === 'internal')) return true
  if (!ts.isClassElement(node)) return false
  const flags = ts.getCombinedModifierFlags(node)
  if (flags & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected)) return true
  return node.name !== undefined && ts.isPrivateIdentifier(node.name)
}

/** The type of a member that says in docstrings what its members are. */
function documentedType(node: ts.Node): ts.TypeLiteralNode | undefined {
  if (!ts.isPropertySignature(node) || !node.type || !ts.isTypeLiteralNode(node.type)) return undefined
  return node.type.members.some((member) => ts.getJSDocCommentsAndTags(member).length > 0) ? node.type : undefined
}

function bodyOf(member: ts.ClassElement | ts.TypeElement): number | undefined {
  if (ts.isMethodDeclaration(member) || ts.isConstructorDeclaration(member) || ts.isAccessor(member))
    return member.body?.pos
  // The sign of equality stands before the value.
  return ts.isPropertyDeclaration(member) && member.initializer ? member.initializer.pos - 1 : undefined
}

function variable(node: ts.VariableDeclaration): string {
  if (node.initializer && ts.isArrowFunction(node.initializer))
    return `const ${upTo(node, node.initializer.equalsGreaterThanToken.pos)}`
  const text = `const ${upTo(node, undefined)}`
  return text.split('\n').length > LONGEST_VALUE_LINES ? `const ${node.name.getText()}` : text
}

/** The source of a node up to a place, else whole, without comments that only the house reads. */
function upTo(node: ts.Node, end: number | undefined): string {
  return node
    .getSourceFile()
    .text.slice(node.getStart(), end ?? node.end)
    .replaceAll(/^\s*\/\/ .*\n/gm, '')
    .replace(/^export /, '')
    .replace(/\s*[,;:{]?\s*$/, '')
}
