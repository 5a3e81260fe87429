/** Another process that writes: takes a file's write lock, says so, and lets it go when it is told to. */
import Database from 'better-sqlite3'

const raw = new Database(process.argv[2] ?? '')
raw.exec('BEGIN IMMEDIATE')
process.send?.('locked')
process.on('message', () => {
  raw.exec('COMMIT')
  raw.close()
  process.send?.('released')
  process.disconnect()
})
