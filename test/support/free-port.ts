import { createServer, type AddressInfo } from 'node:net'

/** Finds a port that is free at this moment, for a server whose address must be known before it listens. */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}
