let leave = (): void => process.exit(0)

/** Who read along may go, as `head` does: then nobody is left to tell, and that is no failure. */
export function exitOnBrokenPipe(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    leave()
  })
  // Nor is it one where nobody reads what is said to people.
  process.stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}

/** For a command that has something to bring to an end first. */
export function onBrokenPipe(stop: () => void): void {
  leave = stop
}
