/** Acts upon a platform while it runs. Each says what has happened. */
import { randomBytes } from 'node:crypto'
import { rotateSecret } from '../tenants.ts'
import { addTenant, type Platform } from './platform.ts'
import type { Processes, Role } from './processes.ts'

export interface Act {
  readonly key: string
  readonly does: string
  run(): Promise<string>
}

export function actsOn(platform: Platform): Act[] {
  const { kill } = platform
  const rotatedAt = new Map<string, number>()
  return [
    { key: 'n', does: 'new tenant', run: async () => `${await signOneUp(platform)} signed up` },
    { key: 's', does: 'new secret', run: () => rotateOne(platform, rotatedAt) },
    ...(kill
      ? [
          { key: 'w', does: 'kill a worker', run: () => killOne(kill, 'worker') },
          { key: 'r', does: 'kill a receiver', run: () => killOne(kill, 'receiver') },
        ]
      : []),
  ]
}

async function killOne(kill: Processes['kill'], role: Role): Promise<string> {
  const name = await kill(role)
  return name === undefined ? `no ${role} was killed, since no other one runs` : `${name} was killed`
}

async function signOneUp(platform: Platform): Promise<string> {
  const number = `tenant-${platform.service.workspaces().length + 1}`
  await addTenant(platform, number)
  return number
}

/** The processes look for another secret of a number twice a minute at most. */
const BETWEEN_ROTATIONS_MS = 60_000

/**
 * The table has the new secret before anything is signed with it. A real service makes the secret up and shows it at the
 * registration: there register a second endpoint, and remove the first one once all processes know both secrets.
 */
async function rotateOne({ pool, service, hookOf }: Platform, rotatedAt: Map<string, number>): Promise<string> {
  const longAgo = performance.now() - BETWEEN_ROTATIONS_MS
  const workspace = service.workspaces().find(({ number }) => (rotatedAt.get(number) ?? -Infinity) < longAgo)
  if (!workspace) return 'each tenant has had another secret within the last minute'
  const { number, emulator } = workspace
  rotatedAt.set(number, performance.now())
  const secret = `whsec_${randomBytes(24).toString('base64url')}`
  await rotateSecret(pool, number, secret)
  await emulator.subscriptions.register({ url: hookOf(number), secret })
  return `${number} has another secret`
}
