import { connect } from 'node:net'
import { expect, vi } from 'vitest'

const PATIENT = { timeout: 60_000 }

/** Resolves when a server listens at the address, however slowly its process starts. */
export function listening(url: string): Promise<void> {
  return vi.waitFor(async () => expect(await problemOf(Number(new URL(url).port))).toBeUndefined(), PATIENT)
}

/** Resolves when nobody listens at the port any more: its process may take a moment to be gone. */
export function closed(port: number): Promise<void> {
  return vi.waitFor(async () => expect(await problemOf(port)).toBe('ECONNREFUSED'), PATIENT)
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
