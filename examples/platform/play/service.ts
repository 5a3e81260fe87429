/** The service with a workspace for each tenant. All of them answer at one address, where the access token tells whose call it is. */
import { createEmulator, type Emulator } from 'switchhook/emulator'
import { openForward } from './forward.ts'

export interface Service {
  /** A new workspace: its key and secret, and its customers' phones. `hook` is the endpoint for what they write. */
  open(number: string, hook: string): Promise<Emulator>
  workspaces(): readonly Workspace[]
  close(): Promise<void>
}

export interface Workspace {
  readonly number: string
  readonly emulator: Emulator
}

export async function openService(at: { port: number; host: string }): Promise<Service> {
  const workspaces: Workspace[] = []
  const ofToken = (token = '') =>
    // A token that no workspace knows is refused by the first one, as by any.
    workspaces.find(({ emulator }) => token === `Bearer ${emulator.accessToken}`) ?? workspaces[0]
  const front = await openForward(at, ({ headers }) => {
    const asked = ofToken(headers.authorization)
    return asked ? [asked.emulator.url] : []
  })
  return {
    async open(number, hook) {
      const emulator = await createEmulator({ webhook: hook })
      workspaces.push({ number, emulator })
      return emulator
    },
    workspaces: () => workspaces,
    async close() {
      front.close()
      await Promise.all(workspaces.map(({ emulator }) => emulator.close()))
    },
  }
}
