import type { AddressInfo } from 'node:net'
import { createServer } from 'node:http'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express from 'express'
import { createEmulator } from '../../../src/emulator/emulator.ts'

/** An app of Express beside an emulator, which delivers to its `/webhooks`. */
export async function openHost() {
  const folder = mkdtempSync(join(tmpdir(), 'switchhook-'))
  const emulator = await createEmulator({ seed: 7 })
  const app = express()
  const server = createServer(app)
  return {
    folder,
    emulator,
    app,
    /** Resolves with the address of the app. */
    async listen(): Promise<string> {
      await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      await emulator.subscriptions.register({ url: `${url}/webhooks`, secret: emulator.signingSecret })
      return url
    },
    hangUp: () => server.closeAllConnections(),
    /** The texts that arrived on a customer's phone. */
    async replies(customer: string): Promise<(string | null)[]> {
      const thread = await emulator.customer(customer).thread()
      return thread.flatMap((item) => (item.direction === 'OUTBOUND' && !item.refused ? [item.text] : []))
    },
    async close(): Promise<void> {
      server.closeAllConnections()
      server.close()
      await emulator.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
