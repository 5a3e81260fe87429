/**
 * Another process that writes: takes a file's write lock, says so, and lets it go when it is told to, or by itself after
 * so many milliseconds: who waits for it may not be able to tell.
 */
import Database from 'better-sqlite3'

const raw = new Database(process.argv[2] ?? '')
raw.exec('BEGIN IMMEDIATE')
process.send?.('locked')
const release = () => {
  raw.exec('COMMIT')
  raw.close()
  process.send?.('released')
  if (process.connected) process.disconnect()
}
process.on('message', release)
if (process.argv[3] !== undefined) setTimeout(release, Number(process.argv[3]))
