/**
 * Another process that writes: it takes a file's write lock, prints a line, and releases the lock on a line of input,
 * or after the given number of milliseconds: a test that waits for it may not be able to write.
 */
import Database from 'better-sqlite3'
import { tellParent } from '../../support/tell-parent.ts'

const raw = new Database(process.argv[2] ?? '')
raw.exec('BEGIN IMMEDIATE')
tellParent('locked')
const release = () => {
  raw.exec('COMMIT')
  raw.close()
  tellParent('released')
  if (process.connected) process.disconnect()
}
process.on('message', release)
if (process.argv[3] !== undefined) setTimeout(release, Number(process.argv[3]))
