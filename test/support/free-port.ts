import { createServer } from 'node:net'

/** Systems give ports beyond this range to servers that ask for any, and to connections. */
const [FIRST, COUNT] = [10_000, 20_000]

/**
 * Finds a port that is free, for a server whose address must be known before it listens. Nobody else is given it
 * meanwhile, however long the server takes to start.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT)
    if (await isFree(port)) return port
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
