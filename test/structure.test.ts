import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { describe, expect, it } from 'vitest'

/** Which room may import which, types included. The table of the design; a new arrow is a decision, not an accident. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  base: [],
  contract: [],
  content: ['contract', 'base'],
  payload: ['contract', 'base'],
  'stores/port': [],
  'stores/sqlite': ['stores/port', 'base'],
  receive: ['contract', 'stores/port', 'base'],
  client: ['contract', 'content', 'base'],
  lanes: ['stores/port', 'base'],
  upkeep: ['stores/port', 'base'],
  reply: ['lanes', 'client', 'content', 'contract', 'stores/port', 'base'],
  routes: ['content', 'reply', 'base'],
  dispatch: ['routes', 'lanes', 'payload', 'reply', 'client', 'content', 'stores/port', 'contract', 'base'],
  report: ['receive', 'dispatch', 'reply', 'stores/port', 'contract', 'base'],
  adapters: ['receive', 'base'],
  bot: [
    'report',
    'routes',
    'dispatch',
    'reply',
    'lanes',
    'upkeep',
    'client',
    'receive',
    'stores/port',
    'stores/sqlite',
    'contract',
    'base',
  ],
  emulator: ['contract', 'base'],
  // What is built for the browser: the error table, and the shape of the files that it records.
  page: ['contract', 'testing', 'emulator'],
  verify: ['contract', 'base'],
  comfort: ['index', 'base'],
  testing: ['bot', 'report', 'receive', 'emulator', 'stores/port', 'stores/sqlite', 'contract', 'base'],
  cli: [
    'testing',
    'emulator',
    'verify',
    'contract',
    'payload',
    'client',
    'content',
    'base',
    'stores/port',
    'stores/sqlite',
    'upkeep',
  ],
  index: ['bot', 'report', 'routes', 'reply', 'content', 'receive', 'base'],
}

/** Which room may use which package; what is not listed stands on the platform alone. */
const MAY_USE: Record<string, readonly string[]> = {
  contract: ['zod'],
  receive: ['raw-body'],
  lanes: ['p-queue'],
  reply: ['ulid'],
  bot: ['pino', 'ulid'],
  'stores/sqlite': ['better-sqlite3'],
  emulator: ['better-sqlite3', 'ulid', 'zod'],
  page: ['preact', 'preact/hooks', '@preact/signals', 'vite'],
  verify: ['ulid'],
  testing: ['zod'],
  cli: ['@clack/prompts', 'chokidar', 'commander'],
}

const LONGEST_FILE = 280
const MEDIAN_FILE = 100

const root = resolve(import.meta.dirname, '../src')
const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => join(root, file))

const importsOf = new Map(files.map((file) => [file, readImports(file)]))

describe('the house', () => {
  it('has no import that its room may not have', () => {
    const forbidden: string[] = []
    for (const [file, imports] of importsOf)
      for (const target of imports.own) {
        const [from, to] = [roomOf(file), roomOf(target)]
        if (from !== to && !MAY_IMPORT[from]?.includes(to))
          forbidden.push(`${show(file)} (${from}) -> ${show(target)} (${to})`)
      }
    expect(forbidden).toEqual([])
  })

  it('uses packages only where the table says so', () => {
    const forbidden: string[] = []
    for (const [file, imports] of importsOf)
      for (const name of imports.packages)
        if (!MAY_USE[roomOf(file)]?.includes(name)) forbidden.push(`${show(file)} uses ${name}`)
    expect(forbidden).toEqual([])
  })

  it('names no arrow and no package in these tables that nothing uses', () => {
    const used = new Set<string>()
    for (const [file, imports] of importsOf) {
      for (const target of imports.own) used.add(`${roomOf(file)} -> ${roomOf(target)}`)
      for (const name of imports.packages) used.add(`${roomOf(file)} uses ${name}`)
    }
    const arrows = Object.entries(MAY_IMPORT).flatMap(([from, rooms]) => rooms.map((to) => `${from} -> ${to}`))
    const packages = Object.entries(MAY_USE).flatMap(([room, names]) => names.map((name) => `${room} uses ${name}`))
    expect([...arrows, ...packages].filter((row) => !used.has(row))).toEqual([])
  })

  it('keeps base and contract free of the platform', () => {
    const platform = [...importsOf]
      .filter(([file]) => ['base', 'contract', 'stores/port', 'content', 'payload'].includes(roomOf(file)))
      .flatMap(([file, imports]) => imports.platform.map((name) => `${show(file)} imports ${name}`))
    expect(platform).toEqual([])
  })

  it('has no import cycle, types included', () => {
    expect(findCycle()).toBeUndefined()
  })

  it('keeps files short', () => {
    const lengths = files.map((file) => ({
      file: show(file),
      lines: readFileSync(file, 'utf8').split('\n').length - 1,
    }))
    expect(lengths.filter(({ lines }) => lines > LONGEST_FILE)).toEqual([])
    const sorted = lengths.map(({ lines }) => lines).sort((a, b) => a - b)
    expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThanOrEqual(MEDIAN_FILE)
  })

  it('tells the way of a delivery to its answer in one file of at most 100 lines', () => {
    expect(readFileSync(join(root, 'receive/receive.ts'), 'utf8').split('\n').length - 1).toBeLessThanOrEqual(100)
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

function roomOf(file: string): string {
  const parts = relative(root, file).split(sep)
  if (parts.length === 1) return parts[0] === 'index.ts' ? 'index' : 'bot'
  return parts[0] === 'stores' && parts.length > 2 ? `stores/${parts[1]}` : (parts[0] as string)
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
