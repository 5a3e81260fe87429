import { EXIT } from '../exit.ts'

/** Who read along may go, as `head` does: then nobody is left to tell, and that is no failure. */
export function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit(EXIT.done)
  })
}
