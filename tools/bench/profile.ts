/** Says where our time goes, by the sampling profiler of V8: by module, then by function. */
import { writeFileSync } from 'node:fs'
import type { Profiler } from 'node:inspector'
import { resolve } from 'node:path'
import { ask, end, launch } from './contenders.ts'
import { prepare } from './requests.ts'
import { take } from './rounds.ts'

const COUNT = 10_000
const FILE = resolve('switchhook.cpuprofile')
const ROOT = resolve(import.meta.dirname, '../..')

export interface Profile {
  /** Microseconds a delivery, by the clock: waits for the disk included. */
  readonly total: number
  /** Of it the process's CPU, by the account of the operating system. */
  readonly cpu: number
  readonly modules: readonly Group[]
  readonly functions: readonly Group[]
}

interface Group {
  readonly name: string
  readonly us: number
}

/** The whole goes into a file for the developer tools of Chrome. */
export async function profile(): Promise<Profile> {
  const contender = await launch('ours-profiled')
  const turn = { contender, requests: (count: number) => prepare(count), count: COUNT }
  await take(turn)
  await ask(contender, { ask: 'profile' })
  const { cpu } = await take(turn)
  const { profile } = (await ask(contender, { ask: 'profiled' })) as { profile?: Profiler.Profile }
  await end(contender)
  if (!profile) throw new Error('no profile came')
  writeFileSync(FILE, JSON.stringify(profile))
  const self = selfTimes(profile)
  return {
    total: self.reduce((sum, { us }) => sum + us, 0),
    cpu,
    modules: grouped(self, ({ file }) => moduleOf(file)),
    functions: grouped(self, ({ name, file }) => (name === file ? name : `${name}, ${file}`)),
  }
}

export function printProfile({ total, cpu, modules, functions }: Profile): void {
  console.log(
    `${total.toFixed(0)} us a delivery by the clock, waits included; ${cpu.toFixed(0)} of CPU; ${COUNT} deliveries`,
  )
  for (const [title, groups] of Object.entries({ modules, functions })) {
    console.log(`\nus a delivery, by ${title}:`)
    for (const { name, us } of groups.slice(0, 40))
      console.log(`${us.toFixed(1).padStart(7)}  ${((us / total) * 100).toFixed(1).padStart(5)} %  ${name}`)
  }
  console.log(`\nThe whole profile, for the developer tools of Chrome: ${FILE}`)
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
    return [{ name: file.startsWith('SQL') ? file : name, file, us: us / COUNT }]
  })

  /** Native functions have no file, and the counting functions are not part of the bot: their time counts for their caller. */
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

/** Our folder, another package, or all statements together. */
function moduleOf(file: string): string {
  if (file.startsWith('SQL COMMIT')) return 'SQLite: commits, waits for the disk included'
  if (file.startsWith('SQL')) return 'SQLite: statements'
  if (/^node:.*(crypto)/.test(file)) return 'Node: HMAC and hashes'
  if (/^node:.*(http|net|stream|buffer)/.test(file)) return 'Node: HTTP and sockets'
  if (file.startsWith('node:')) return 'Node: timers, promises, events'
  return file.startsWith('src/') ? file.split('/').slice(0, 2).join('/') : file
}

function grouped(self: readonly SelfTime[], by: (one: SelfTime) => string): Group[] {
  const groups = new Map<string, number>()
  for (const one of self) groups.set(by(one), (groups.get(by(one)) ?? 0) + one.us)
  return [...groups].map(([name, us]) => ({ name, us })).toSorted((a, b) => b.us - a.us)
}
