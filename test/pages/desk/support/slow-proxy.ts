import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A proxy in front of a desk, which may keep what a stream tells: at once all of it, or from some moment on. */
export async function openProxy(target: string) {
  let keeps = false
  let streams = 0
  const server = createServer((asked, answer) => {
    const { method, headers, url = '/' } = asked
    const isStream = url.includes('/api/stream')
    const further = request(`${target}${url}`, { method, headers }, (got) => {
      answer.writeHead(got.statusCode ?? 502, got.headers)
      if (!isStream) return void got.pipe(answer)
      streams++
      answer.flushHeaders()
      got.on('data', (part) => keeps || answer.write(part)).on('end', () => keeps || answer.end())
      answer.on('close', () => {
        streams--
        further.destroy()
      })
    })
    further.on('error', () => answer.destroy())
    asked.pipe(further)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Streams that are open now. */
    streams: () => streams,
    keep: (all: boolean) => void (keeps = all),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}
