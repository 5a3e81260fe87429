/** A platform that runs, with the service beside it, whose customers write as long as it is open. */
import type { Pool } from 'pg'
import { openDatabase } from '../database.ts'
import { signUp } from '../tenants.ts'
import { type Load, startLoad } from './load.ts'
import type { Processes } from './processes.ts'
import { openService, type Service } from './service.ts'

export interface Platform extends AsyncDisposable {
  readonly pool: Pool
  readonly service: Service
  readonly load: Load
  /** Undefined where somebody else keeps the processes. */
  readonly kill: Processes['kill'] | undefined
  /** Gives the address of a tenant's endpoint. */
  hookOf(number: string): string
}

export interface Parts {
  /** The address at which the service listens. */
  readonly service: { readonly port: number; readonly host: string }
  /** The balancer's address. */
  readonly balancer: string
  /** Orders a second. */
  readonly rate: number
  readonly kill?: Platform['kill']
}

export async function openPlatform(parts: Parts): Promise<Platform> {
  await using opening = new AsyncDisposableStack()
  const pool = opening.adopt(await openDatabase(), (opened) => opened.end())
  const service = opening.adopt(await openService(parts.service), (opened) => opened.close())
  const load = opening.adopt(startLoad(service, parts.rate), (started) => started.stop())
  const opened = opening.move()
  return {
    pool,
    service,
    load,
    kill: parts.kill,
    hookOf: (number) => `${parts.balancer}/hooks/${number}`,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

/** The tenant is in the table before its customers write. */
export async function addTenant({ pool, service, load, hookOf }: Platform, number: string): Promise<void> {
  const { accessToken, signingSecret } = await service.open(number, hookOf(number))
  await signUp(pool, { number, apiKey: accessToken, webhookSecret: signingSecret })
  load.add(number)
}
