import { connect, createServer, type Socket } from 'node:net'

/** A line to the server on which a round trip takes longer. */
export interface SlowLine extends AsyncDisposable {
  /** The address of the database, over this line. */
  readonly url: string
  /** Breaks every connection. */
  cut(): void
}

/** @param host where it listens; it is the host of `url`. */
export async function openSlowLine(to: string, roundTripMs: number, host = '127.0.0.1'): Promise<SlowLine> {
  const server = new URL(to)
  const sockets = new Set<Socket>()
  const line = createServer({ noDelay: true }, (app) => {
    const database = connect({ port: Number(server.port), host: server.hostname, noDelay: true })
    for (const [from, into] of [
      [app, database],
      [database, app],
    ] as const) {
      sockets.add(from)
      from
        .on('data', (bytes) => setTimeout(() => into.write(bytes), roundTripMs / 2))
        .on('error', () => into.destroy())
        .on('close', () => {
          sockets.delete(from)
          into.destroy()
        })
    }
  })
  await new Promise<void>((resolve) => line.listen(0, host, resolve))
  const { port } = line.address() as { port: number }
  const cut = () => sockets.forEach((socket) => socket.destroy())
  return {
    url: Object.assign(new URL(to), { hostname: host, port: String(port) }).href,
    cut,
    async [Symbol.asyncDispose]() {
      cut()
      await new Promise((resolve) => line.close(resolve))
    },
  }
}
