/** The rows that compare CPU per request: all contenders take turns in one run. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { checkClaims, checkHandled } from './claims.ts'
import { type Contender, end, launch } from './contenders.ts'
import { prepare, type Wanted } from './requests.ts'
import { ratio, rounds, type Turn } from './rounds.ts'
import { type Peer, type ReceiverName, SCHEMES, type TurnName } from './schemes.ts'
import { KEYS, lineOf, type Measured, type Section } from './table.ts'

export interface Size {
  readonly rounds: number
  readonly requests: number
}

export async function ratios(sections: ReadonlySet<Section>, size: Size): Promise<Measured[]> {
  const pairs = KEYS.flatMap((key) => {
    const { section, turns } = lineOf(key)
    return turns && sections.has(section) ? [{ key, turns }] : []
  })
  const names = new Set(pairs.flatMap(({ turns }) => turns))
  const contenders = new Map<ReceiverName, Receiver>()
  const turns = {} as Record<TurnName, Turn>
  for (const name of names) {
    const [receiver] = name.split(' ') as [ReceiverName]
    const started = contenders.get(receiver) ?? (await start(receiver))
    contenders.set(receiver, started)
    turns[name] = turnOf(name, started, size.requests)
  }
  const all = await rounds(turns, size.rounds)
  for (const { contender, service } of contenders.values()) {
    await checkHandled(contender)
    await end(contender)
    if (service) await end(service)
  }
  return pairs.map(({ key, turns: [ours, other] }) => ({ key, ...ratio(all, other, ours) }))
}

interface Receiver {
  readonly contender: Contender
  readonly service?: Contender
}

async function start(name: ReceiverName): Promise<Receiver> {
  if (name in SCHEMES) {
    installPeers()
    const contender = await launch(name, { server: 'peers/server.ts' })
    await checkClaims(contender, SCHEMES[name as Peer])
    return { contender }
  }
  const service = name.endsWith('-reply') ? await launch('emulator', { server: 'send-server.ts' }) : undefined
  const contender = await launch(name, service && { service: `http://127.0.0.1:${service.port}` })
  await checkClaims(contender)
  return { contender, ...(service && { service }) }
}

function turnOf(name: TurnName, receiver: Receiver, count: number): Turn {
  const forged = name.endsWith(' refusing')
  const wanted: Wanted = { forged }
  const scheme = SCHEMES[name as Peer]
  return { ...receiver, requests: (count) => prepare(count, wanted, scheme), count, answer: forged ? 401 : 200 }
}

/** They are many and large, so `npm ci` leaves them out; their versions are exact. */
function installPeers(): void {
  const folder = join(import.meta.dirname, 'peers')
  if (existsSync(join(folder, 'node_modules'))) return
  console.log('installing the peers, once')
  const { status } = spawnSync('npm', ['install', '--no-package-lock', '--prefix', folder], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  if (status !== 0) throw new Error('the peers could not be installed')
}
