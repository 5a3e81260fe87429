/** Says where the time of ours goes, by the sampling profiler of V8: by module, then by function. */
import { writeFileSync } from 'node:fs'
import type { Profiler } from 'node:inspector'
import { resolve } from 'node:path'
import { ask, launch } from './contenders.ts'
import { prepare } from './requests.ts'
import { handled, take } from './rounds.ts'

const COUNT = 10_000
const ROOT = resolve(import.meta.dirname, '../..')

/** Prints it, and writes the whole for the developer tools of Chrome. */
export async function profile(): Promise<void> {
  const contender = await launch('ours-profiled')
  const turn = { contender, requests: (count: number) => prepare(count), count: COUNT }
  await take(turn)
  await ask(contender, { ask: 'profile' })
  await take(turn)
  await handled(contender)
  const { profile } = (await ask(contender, { ask: 'profiled' })) as { profile?: Profiler.Profile }
  if (!profile) throw new Error('no profile came')
  const file = resolve('switchhook.cpuprofile')
  writeFileSync(file, JSON.stringify(profile))
  const self = selfTimes(profile)
  const total = self.reduce((sum, one) => sum + one.us, 0) / COUNT
  console.log(`${total.toFixed(0)} us a delivery by the clock, waits for the disk included, of ${COUNT} deliveries\n`)
  print('by module', self, ({ file }) => moduleOf(file), total)
  print('by function', self, ({ name, file }) => (name === file ? name : `${name}, ${file}`), total)
  console.log(`The whole profile, for the developer tools of Chrome: ${file}`)
}

interface SelfTime {
  readonly name: string
  /** The file, or the package of a dependency, or the statement. */
  readonly file: string
  readonly us: number
}

function selfTimes({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): SelfTime[] {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])))
  const spent = new Map<number, number>()
  for (const [at, id] of samples.entries()) spent.set(id, (spent.get(id) ?? 0) + Math.max(0, timeDeltas[at] ?? 0))
  return [...spent].flatMap(([id, us]) => {
    const name = byId.get(id)?.callFrame.functionName || '(anonymous)'
    if (name === '(idle)') return []
    const file = fileOf(id)
    // The profiler's own time.
    if (file === 'node:inspector') return []
    return [{ name: file.startsWith('SQL') ? file : name, file, us }]
  })

  /** Native functions have no file, and those that count are no part of ours: what they take is their caller's. */
  function fileOf(id: number): string {
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const { functionName, url } = byId.get(at)?.callFrame ?? { functionName: '', url: '' }
      if (functionName.startsWith('SQL_')) return functionName.replaceAll('_', ' ').trim()
      if (functionName.startsWith('(')) return functionName
      if (url && !url.endsWith('/bench/count.ts')) return shortened(url)
    }
    return '(native)'
  }
}

function shortened(url: string): string {
  const path = decodeURI(url.replace('file://', ''))
  const [, inPackage] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path) ?? []
  return inPackage ?? path.replace(`${ROOT}/`, '')
}

/** The folder of ours, the package of others, and all statements together. */
function moduleOf(file: string): string {
  if (file.startsWith('SQL COMMIT')) return 'SQLite: commits'
  if (file.startsWith('SQL')) return 'SQLite: statements'
  if (file.startsWith('node:')) return /^node:(internal\/)?_?[a-z]+/.exec(file)?.[0] ?? file
  return file.startsWith('src/') ? file.split('/').slice(0, 2).join('/') : file
}

function print(title: string, self: readonly SelfTime[], group: (one: SelfTime) => string, total: number): void {
  const groups = new Map<string, number>()
  for (const one of self) groups.set(group(one), (groups.get(group(one)) ?? 0) + one.us / COUNT)
  console.log(`us a delivery, ${title}:`)
  for (const [name, us] of [...groups].toSorted((a, b) => b[1] - a[1]).slice(0, 40))
    console.log(`${us.toFixed(1).padStart(7)}  ${((us / total) * 100).toFixed(1).padStart(5)} %  ${name}`)
  console.log('')
}
