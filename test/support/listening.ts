import { connect } from 'node:net'
import { expect } from 'vitest'

/** Resolves when a server listens at the address, as soon as its process has started. */
export function listening(url: string): Promise<void> {
  const { port } = new URL(url)
  return expect.poll(() => problemOf(Number(port))).toBeUndefined()
}

/** Resolves when nobody listens at the port any more: its process may take a moment to be gone. */
export function closed(port: number): Promise<void> {
  return expect.poll(() => problemOf(port)).toBe('ECONNREFUSED')
}

/** The code of the error if the port cannot be reached. */
function problemOf(port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code))
    socket.once('connect', () => {
      socket.destroy()
      resolve(undefined)
    })
  })
}
