import { posix } from 'node:path'
import ts from 'typescript'
import type { Entry } from '../entries.ts'
import { isHidden } from './signature.ts'

/** The public surface of one entry. */
export interface Surface {
  readonly entry: Entry
  readonly file: ts.SourceFile
  /** In the order of the entry's file, which goes from everyday to expert. */
  readonly exported: readonly Named[]
  /** Types of the house on which these lean, and that no entry exports. */
  readonly leanedOn: readonly Named[]
  /** Links from this page to the types that a declaration names. */
  linksFrom(symbol: ts.Symbol): string[]
}

export interface Named {
  readonly name: string
  /** Its anchor: two types of different files may have one name. */
  readonly id: string
  readonly symbol: ts.Symbol
}

export function surfacesOf(entries: readonly Entry[], program: ts.Program): Surface[] {
  const checker = program.getTypeChecker()
  const all = entries.map((entry) => ({ entry, ...exportsOf(entry) }))
  /** The place that tells of a symbol: the first entry that exports it. */
  const homes = new Map<ts.Symbol, string>()
  for (const { entry, exported } of all)
    for (const { symbol } of exported) if (!homes.has(symbol)) homes.set(symbol, entry.page)

  return all.map(({ entry, file, exported }) => {
    const own = new Set(exported.map(({ symbol }) => symbol))
    for (const symbol of own) for (const type of typesNamedBy(symbol)) if (!homes.has(type)) own.add(type)
    const leanedOn = named([...own].slice(exported.length), exported)
    const ids = new Map([...exported, ...leanedOn].map(({ symbol, id }) => [symbol, id]))
    const linksFrom = (symbol: ts.Symbol) =>
      [...typesNamedBy(symbol)]
        .filter((type) => type !== symbol)
        .map((type) => {
          const id = ids.get(type)
          return `[${type.name}](${id === undefined ? `./${posix.basename(homes.get(type) ?? '')}#${type.name}` : `#${id}`})`
        })
    return { entry, file, exported, leanedOn, linksFrom }
  })

  function exportsOf({ name, source }: Entry): { file: ts.SourceFile; exported: Named[] } {
    const file = program.getSourceFile(source)
    const module = file && checker.getSymbolAtLocation(file)
    if (!file || !module) throw new Error(`${name} exports nothing`)
    return { file, exported: named(checker.getExportsOfModule(module)) }
  }

  /** An exported type and one of the house on which it leans may have one name. */
  function named(symbols: readonly ts.Symbol[], before: readonly Named[] = []): Named[] {
    const seen = new Map(before.map(({ name }) => [name, 1]))
    return symbols.map((symbol) => {
      const count = (seen.get(symbol.name) ?? 0) + 1
      seen.set(symbol.name, count)
      return { name: symbol.name, id: count === 1 ? symbol.name : `${symbol.name}-${count}`, symbol: originOf(symbol) }
    })
  }

  function typesNamedBy(symbol: ts.Symbol): Set<ts.Symbol> {
    const found = new Set<ts.Symbol>()
    for (const declaration of symbol.declarations ?? []) visit(declaration)
    return found

    function visit(node: ts.Node): void {
      if (ts.isBlock(node) || isHidden(node)) return
      const name = nameOfType(node)
      const symbolOfType = name && checker.getSymbolAtLocation(name)
      const origin = symbolOfType && originOf(symbolOfType)
      if (origin?.declarations?.some(isTypeOfHouse)) found.add(origin)
      ts.forEachChild(node, visit)
    }
  }

  function originOf(symbol: ts.Symbol): ts.Symbol {
    return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
  }
}

function nameOfType(node: ts.Node): ts.Node | undefined {
  if (ts.isTypeReferenceNode(node)) return node.typeName
  return ts.isExpressionWithTypeArguments(node) ? node.expression : undefined
}

function isTypeOfHouse(declaration: ts.Declaration): boolean {
  const isType = ts.isInterfaceDeclaration(declaration) || ts.isTypeAliasDeclaration(declaration)
  return isType && !declaration.getSourceFile().fileName.includes('node_modules')
}
