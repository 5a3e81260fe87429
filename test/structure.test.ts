import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { describe, expect, it } from 'vitest'
import { INSIDE } from './structure/inside.ts'
import { MAY_IMPORT, MAY_USE } from './structure/top.ts'

const LONGEST_FILE = 500

const root = resolve(import.meta.dirname, '../src')
const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => join(root, file))

const importsOf = new Map(files.map((file) => [file, readImports(file)]))

describe('the modules', () => {
  it('have only imports that the table names', () => {
    const forbidden: string[] = []
    for (const [file, imports] of importsOf)
      for (const target of imports.own) {
        const [from, to] = [moduleOf(file), moduleOf(target)]
        if (from !== to && !MAY_IMPORT[from]?.includes(to))
          forbidden.push(`${show(file)} (${from}) -> ${show(target)} (${to})`)
      }
    expect(forbidden).toEqual([])
  })

  it('use packages only if the table says so', () => {
    const forbidden: string[] = []
    for (const [file, imports] of importsOf)
      for (const name of imports.packages)
        if (!MAY_USE[moduleOf(file)]?.includes(name)) forbidden.push(`${show(file)} uses ${name}`)
    expect(forbidden).toEqual([])
  })

  it('use every arrow and every package that the tables name', () => {
    const used = new Set<string>()
    for (const [file, imports] of importsOf) {
      for (const target of imports.own) used.add(`${moduleOf(file)} -> ${moduleOf(target)}`)
      for (const name of imports.packages) used.add(`${moduleOf(file)} uses ${name}`)
    }
    const arrows = Object.entries(MAY_IMPORT).flatMap(([from, targets]) => targets.map((to) => `${from} -> ${to}`))
    const packages = Object.entries(MAY_USE).flatMap(([module, names]) => names.map((name) => `${module} uses ${name}`))
    expect([...arrows, ...packages].filter((row) => !used.has(row))).toEqual([])
  })

  it('keep base, contract, content, payload, and the types and rules of the store free of the platform', () => {
    const platform = [...importsOf]
      .filter(([file]) => /^(?:base|contract|content|payload|store\/types|store\/rules)\//.test(show(file)))
      .flatMap(([file, imports]) => imports.platform.map((name) => `${show(file)} imports ${name}`))
    expect(platform).toEqual([])
  })

  it('have no import cycle between files, types included', () => {
    expect(findCycle()).toBeUndefined()
  })

  it('have no file that is too long to read at once', () => {
    const lengths = files.map((file) => ({
      file: show(file),
      lines: readFileSync(file, 'utf8').split('\n').length - 1,
    }))
    expect(lengths.filter(({ lines }) => lines > LONGEST_FILE)).toEqual([])
  })
})

describe.each(Object.entries(INSIDE))('the parts of %s', (module, mayImport) => {
  const parts = [...importsOf].filter(([file]) => show(file).startsWith(`${module}/`))
  const partOf = (file: string) =>
    show(file)
      .slice(module.length + 1)
      .split(sep)[0]
      ?.replace(/\.tsx?$/, '') as string
  const arrows = parts.flatMap(([file, { own }]) =>
    own
      .filter((target) => show(target).startsWith(`${module}/`) && partOf(target) !== partOf(file))
      .map((target) => ({ arrow: `${partOf(file)} -> ${partOf(target)}`, via: show(file) })),
  )

  it('import each other only if the table says so', () => {
    const allowed = Object.entries(mayImport).flatMap(([from, targets]) => targets.map((to) => `${from} -> ${to}`))
    const found = new Set(arrows.map(({ arrow }) => arrow))
    expect(arrows.filter(({ arrow }) => !allowed.includes(arrow))).toEqual([])
    expect(allowed.filter((arrow) => !found.has(arrow))).toEqual([])
  })

  it('have no cycle', () => {
    const reach = (part: string, trail: readonly string[]): string | undefined =>
      trail.includes(part)
        ? [...trail, part].join(' -> ')
        : mayImport[part]?.map((to) => reach(to, [...trail, part])).find((cycle) => cycle !== undefined)
    expect(
      Object.keys(mayImport)
        .map((part) => reach(part, []))
        .find((cycle) => cycle !== undefined),
    ).toBeUndefined()
  })
})

function readImports(file: string) {
  const source = readFileSync(file, 'utf8').replaceAll(/\/\*[\s\S]*?\*\//g, '')
  const named = [...source.matchAll(/^\s*(?:import|export)\b[^'"`;]*?\bfrom\s+'([^']+)'/gm)]
  const bare = [...source.matchAll(/^\s*import\s+'([^']+)'/gm)]
  const dynamic = [...source.matchAll(/\bimport\(\s*'([^']+)'\s*\)/g)]
  const all = [...named, ...bare, ...dynamic].map((match) => match[1] as string)
  return {
    own: all.filter((name) => name.startsWith('.')).map((name) => resolve(dirname(file), name)),
    packages: all.filter((name) => !name.startsWith('.') && !name.startsWith('node:')),
    platform: all.filter((name) => name.startsWith('node:')),
  }
}

function moduleOf(file: string): string {
  const parts = relative(root, file).split(sep)
  return (parts[0] as string).replace('.ts', '')
}

function findCycle(): string | undefined {
  const done = new Set<string>()
  const visit = (file: string, trail: string[]): string | undefined => {
    if (trail.includes(file)) return [...trail.slice(trail.indexOf(file)), file].map(show).join(' -> ')
    if (done.has(file)) return undefined
    for (const target of importsOf.get(file)?.own ?? []) {
      const cycle = visit(target, [...trail, file])
      if (cycle) return cycle
    }
    done.add(file)
    return undefined
  }
  for (const file of files) {
    const cycle = visit(file, [])
    if (cycle) return cycle
  }
  return undefined
}

function show(file: string): string {
  return relative(root, file)
}
