import { connect, createServer, type Socket } from 'node:net'

/** The fate of the next COMMIT: it does not reach the server, or its answer does not come back. */
export type Fault = 'commit lost' | 'answer lost'

/** The end of a query's text: a transaction begins with READ COMMITTED. */
const COMMIT = 'COMMIT\0'

/** A line to the server that breaks when a test wants it to. */
export interface FaultyLine extends AsyncDisposable {
  /** The address of the database, over this line. */
  readonly url: string
  /** Breaks the connection of the next COMMIT; resolves when that came. */
  breakNext(fault: Fault): Promise<void>
  /** Breaks every connection, and lets no other through until `repair`. */
  cut(): void
  /** Lets nothing through until `repair`; nobody hears of it, since no connection breaks. */
  part(): void
  repair(): void
}

export async function openFaultyLine(to: string): Promise<FaultyLine> {
  const server = new URL(to)
  const sockets = new Set<Socket>()
  let next: { readonly fault: Fault; readonly came: () => void } | undefined
  let isCut = false
  let isParted = false

  const line = createServer((app) => {
    if (isCut) return void app.destroy()
    const database = connect(Number(server.port), server.hostname)
    let silent = false
    const end = () => {
      app.destroy()
      database.destroy()
    }
    for (const socket of [app, database]) {
      sockets.add(socket)
      if (isParted) socket.pause()
      socket.on('error', end).on('close', () => {
        sockets.delete(socket)
        end()
      })
    }
    app.on('data', (bytes) => {
      if (next === undefined || !bytes.includes(COMMIT)) return void database.write(bytes)
      const { fault, came } = next
      next = undefined
      came()
      if (fault === 'commit lost') return end()
      silent = true
      database.write(bytes)
    })
    database.on('data', (bytes) => {
      if (silent) end()
      else app.write(bytes)
    })
  })
  await new Promise<void>((resolve) => line.listen(0, '127.0.0.1', resolve))
  const { port } = line.address() as { port: number }
  const cut = () => {
    isCut = true
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: Object.assign(new URL(to), { port: String(port) }).href,
    breakNext: (fault) => new Promise((came) => void (next = { fault, came })),
    cut,
    part() {
      isParted = true
      for (const socket of sockets) socket.pause()
    },
    repair() {
      isCut = isParted = false
      next = undefined
      for (const socket of sockets) socket.resume()
    },
    async [Symbol.asyncDispose]() {
      cut()
      await new Promise((resolve) => line.close(resolve))
    },
  }
}
