import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { describe, expect, it } from 'vitest'

const LONGEST_FILE = 500
const LONGEST_BASE = 600
const MOST_TERMS = 32

/** Which module of `src` may import which, types included; `base` stands below them all. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  base: [],
  service: [],
  // Each is a list with a line for each built-in feature, for one module below. Nobody else imports a feature.
  // The types of an app's bot are parameters of what it gets from features.
  'built-in': ['bot', 'features'],
  store: ['built-in'],
  client: ['service'],
  bot: ['service', 'store', 'client', 'built-in'],
  // Either built in, or added by an app: then package.json is the list, with an entry point for each.
  features: ['service', 'store', 'client', 'bot', 'view', 'admin', 'kit', 'built-in'],
  view: ['service', 'store', 'bot'],
  admin: ['service', 'store', 'bot', 'view', 'built-in'],
  emulator: ['service'],
  // What is built for the browser: types, and data that does not need the platform.
  pages: ['service', 'emulator', 'admin', 'features'],
  kit: ['service', 'store', 'client', 'bot', 'view', 'emulator', 'built-in'],
}

/** Which room of the store may import which, from the lowest room up: none imports one above it. */
const ROOMS_OF_STORE: Record<string, readonly string[]> = {
  // Statements and how they run, the tables, and what features add to them.
  database: [],
  customers: ['database'],
  // Lanes, leases, fences and items. Nothing below the outbox knows of sends, but for their lanes.
  work: ['database', 'customers'],
  outbox: ['database', 'customers', 'work'],
  inbox: ['database', 'customers', 'work', 'outbox'],
  reads: ['database', 'customers', 'work', 'outbox', 'inbox'],
  maintenance: ['database', 'customers', 'work', 'outbox'],
  'store.ts': ['database', 'customers', 'work', 'outbox', 'inbox', 'reads', 'maintenance'],
  sqlite: ['database', 'work', 'outbox', 'store.ts'],
  postgres: ['database', 'outbox', 'store.ts'],
}

/** Reached from below, they stand outside the floors: a feature has a part on each. No file imports itself over them. */
const LISTS = 'src/built-in'

const root = resolve(import.meta.dirname, '..')
const src = join(root, 'src')
const files = codeBelow('src')
const importsOf = new Map(files.map((file) => [file, readImports(file)]))

describe('the modules of src', () => {
  it('import each other only if the table says so, and use every arrow of the table', () => {
    const found = new Map<string, string>()
    for (const [file, { own }] of importsOf)
      for (const target of own) {
        const [from, to] = [moduleOf(file), moduleOf(target)]
        if (from !== to && to !== 'base') found.set(`${from} -> ${to}`, show(file))
      }
    const allowed = Object.entries(MAY_IMPORT).flatMap(([from, targets]) => targets.map((to) => `${from} -> ${to}`))
    expect([...found].filter(([arrow]) => !allowed.includes(arrow))).toEqual([])
    expect(allowed.filter((arrow) => !found.has(arrow))).toEqual([])
  })

  it('have rooms in the store that import only rooms below them, if the table says so', () => {
    const roomOf = (file: string) => /^src\/store\/([^/]+)/.exec(show(file))?.[1]
    const found = new Set<string>()
    for (const [file, { own }] of importsOf)
      for (const target of own) {
        const [from, to] = [roomOf(file), roomOf(target)]
        if (from && to && from !== to) found.add(`${from} -> ${to}`)
      }
    const rooms = Object.keys(ROOMS_OF_STORE)
    const allowed = Object.entries(ROOMS_OF_STORE).flatMap(([from, targets]) => targets.map((to) => `${from} -> ${to}`))
    expect(found).toEqual(new Set(allowed))
    const upward = Object.entries(ROOMS_OF_STORE).filter(([from, targets]) =>
      targets.some((to) => !rooms.slice(0, rooms.indexOf(from)).includes(to)),
    )
    expect(upward).toEqual([])
  })

  it('have no cycle between folders, types included', () => {
    expect(findCycle(folderArrows())).toBeUndefined()
  })

  it('keep what the service says, and the rules of the store, free of the platform', () => {
    const platform = [...importsOf]
      .filter(([file]) =>
        /^src\/(?:service\/|store\/(?:customers\/customer|database\/silence|inbox\/accept|outbox\/send-|work\/(?:item-rules|room|subscriptions)))/.test(
          show(file),
        ),
      )
      .flatMap(([file, imports]) => imports.platform.map((name) => `${show(file)} imports ${name}`))
    expect(platform).toEqual([])
  })

  it('have features that do not import each other, each with one entry point of the package or built in', () => {
    const arrows = [...importsOf].flatMap(([file, { own }]) =>
      own
        .map((target) => [featureOf(file), featureOf(target)] as const)
        .filter(([from, to]) => from && to && from !== to),
    )
    expect(arrows).toEqual([])
    const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { exports: object }
    const listed = Object.entries<{ 'switchhook-source'?: string }>({ ...exports }).flatMap(([entry, to]) =>
      to['switchhook-source']?.startsWith('./src/features/') ? [[entry, to['switchhook-source']] as const] : [],
    )
    const builtIn = new Set(
      files
        .filter((file) => moduleOf(file) === 'built-in')
        .flatMap((file) => importsOf.get(file)?.own.flatMap((target) => featureOf(target) ?? []) ?? []),
    )
    const features = readdirSync(join(src, 'features')).filter((one) => !builtIn.has(one))
    expect(builtIn).toEqual(new Set(['announcements', 'bursts', 'codes', 'conversations', 'people']))
    const entries = features.map((one) => [`./${one}`, `./src/features/${one}/${one}.ts`] as const)
    expect(new Map(listed)).toEqual(new Map([...entries, ['./desk', './src/features/people/desk/desk.ts']]))
  })

  it('have lists in the order of names, which is the order of a module: with it a loader of tests agrees', () => {
    const lists = files.filter((file) => moduleOf(file) === 'built-in').map((file) => readFileSync(file, 'utf8'))
    const named = lists.map((list) => [...list.matchAll(/^export \{ \w+ as (\w+) \}/gm)].map(([, name = '']) => name))
    expect(named).toEqual(named.map((names) => names.toSorted((a, b) => (a < b ? -1 : 1))))
  })

  it("keep the emulator's model free of HTTP", () => {
    const arrows = [...importsOf]
      .filter(([file]) => show(file).startsWith('src/emulator/model/'))
      .flatMap(([file, { own }]) => own.map((target) => `${show(file)} -> ${show(target)}`))
    expect(arrows.filter((arrow) => /-> src\/emulator\/(?!model\/)/.test(arrow))).toEqual([])
  })

  it('have a base of the few things that all of them need', () => {
    const lines = files.filter((file) => moduleOf(file) === 'base').map(linesOf)
    expect(lines.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(LONGEST_BASE)
  })
})

describe('the files of src', () => {
  it('are short enough to be read at once', () => {
    expect(files.filter((file) => linesOf(file) > LONGEST_FILE).map(show)).toEqual([])
  })

  it('have names that a search finds: none occurs more than twice', () => {
    const counts = Map.groupBy(files, (file) => basename(file))
    expect([...counts].filter(([, named]) => named.length > 2).map(([name]) => name)).toEqual([])
  })
})

it('a reader of the code has 32 terms to learn at most, one in each row of the glossary', () => {
  const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
  const glossary = page.split(/^## /m).find((section) => section.startsWith('Terms')) ?? ''
  const rows = [...glossary.matchAll(/^\| (?!term )([^|]+?) \|/gm)].map(([, term]) => term)
  const withinRows = glossary.match(/(?<!\*)\*[^*]+\*(?!\*)/g) ?? []
  expect(rows.length).toBeGreaterThan(20)
  expect(rows.length + withinRows.length).toBeLessThanOrEqual(MOST_TERMS)
  expect(rows.filter((term) => term?.includes(','))).toEqual([])
})

it('the page of the architecture is short enough for a fresh reader, without its picture', () => {
  const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8').replace(/^```[^]*?^```/gm, '')
  expect(page.match(/\S*\w\S*/g)?.length).toBeLessThan(2500)
})

it.each(['src', 'examples', 'templates'])('no file of %s imports itself over others, types included', (folder) => {
  const arrows = new Map(codeBelow(folder).map((file) => [file, readImports(file).own]))
  expect(findCycle(arrows)?.map(show)).toBeUndefined()
})

it('no file of src reads a caught error but by base/errors.ts, which no thrown value makes throw [F-56]', () => {
  const reads =
    /\binstanceof Error\b|\bas (?:Error|NodeJS\.ErrnoException)\b|\((?:error|cause|reason|thrown|err): (?:Error|any)\)(?! => void>)|\((?:error|cause|reason|thrown|err) as (?:\{|any)/
  const found = files.filter((file) => file !== join(src, 'base/errors.ts') && reads.test(readFileSync(file, 'utf8')))
  expect(found.map(show)).toEqual([])
})

describe('the packages of others', () => {
  const { dependencies, peerDependencies, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const rows = readFileSync(join(root, 'docs/versions.md'), 'utf8').matchAll(
    /^\| `(\S+)` \| (a bot|the command line)/gm,
  )
  const documented = [...rows].map(([, name, by]) => ({ name, by }))

  it("that a bot's process loads are those that docs/versions.md names for it, and none of the command line's", () => {
    const entries = Object.entries<{ 'switchhook-source'?: string }>(exports)
      .filter(([entry]) => entry !== './emulator' && entry !== './testing')
      .flatMap(([, to]) => to['switchhook-source'] ?? [])
    const reached = new Set(entries.map((file) => join(root, file)))
    for (const file of reached) for (const target of importsOf.get(file)?.own ?? []) reached.add(target)
    const loaded = new Set([...reached].flatMap((file) => importsOf.get(file)?.packages ?? []))
    expect(loaded).toEqual(new Set(documented.filter(({ by }) => by === 'a bot').map(({ name }) => name)))
  })

  it('all have a row there, except express, which an app itself imports', () => {
    const { express: _, ...installed } = { ...dependencies, ...peerDependencies }
    expect(new Set(documented.map(({ name }) => name))).toEqual(new Set(Object.keys(installed)))
  })
})

/** Which folders import each other, each pair named where their ways part. A file beside folders belongs to neither. */
function folderArrows(): Map<string, string[]> {
  const arrows = new Map<string, string[]>()
  for (const [file, { own }] of importsOf)
    for (const target of own) {
      const [from, to] = [folderOf(file), folderOf(target)]
      const parted = from.findIndex((part, at) => part !== to[at])
      if (parted < 0 || parted >= to.length) continue
      if (from.join(sep) === LISTS || to.join(sep) === LISTS) continue
      const [a, b] = [from, to].map((way) => way.slice(0, parted + 1).join(sep)) as [string, string]
      arrows.set(a, [...(arrows.get(a) ?? []), b])
    }
  return arrows
}

function findCycle(arrows: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const done = new Set<string>()
  const visit = (one: string, trail: string[]): string[] | undefined => {
    if (trail.includes(one)) return [...trail.slice(trail.indexOf(one)), one]
    if (done.has(one)) return undefined
    for (const target of arrows.get(one) ?? []) {
      const cycle = visit(target, [...trail, one])
      if (cycle) return cycle
    }
    done.add(one)
    return undefined
  }
  return [...arrows.keys()].map((one) => visit(one, [])).find((cycle) => cycle !== undefined)
}

function codeBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !file.includes('node_modules'))
    .map((file) => join(root, folder, file))
}

function readImports(file: string) {
  const source = readFileSync(file, 'utf8').replaceAll(/\/\*[\s\S]*?\*\//g, '')
  const named = [...source.matchAll(/^\s*(?:import|export)\b[^'"`;]*?\bfrom\s+'([^']+)'/gm)]
  const bare = [...source.matchAll(/^\s*import\s+'([^']+)'/gm)]
  const dynamic = [...source.matchAll(/\bimport\(\s*'([^']+)'\s*\)/g)]
  const all = [...named, ...bare, ...dynamic].map((match) => match[1] as string)
  const loaded = [...named.filter(([text]) => !/^\s*\w+ type\b/.test(text)), ...bare, ...dynamic]
  return {
    packages: loaded.map((match) => match[1] as string).filter((name) => !/^(?:\.|node:)/.test(name)),
    own: all.filter((name) => name.startsWith('.')).map((name) => resolve(dirname(file), name)),
    platform: all.filter((name) => name.startsWith('node:')),
  }
}

function moduleOf(file: string): string {
  return relative(src, file).split(sep)[0] as string
}

function featureOf(file: string): string | undefined {
  return /^src\/features\/([^/]+)/.exec(show(file))?.[1]
}

function folderOf(file: string): string[] {
  return dirname(show(file)).split(sep)
}

function linesOf(file: string): number {
  return readFileSync(file, 'utf8').split('\n').length - 1
}

function show(file: string): string {
  return relative(root, file)
}
