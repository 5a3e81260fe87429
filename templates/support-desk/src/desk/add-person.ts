/** `npm run add-person -- Neema`: prints the line of DESK_PEOPLE with one more person, or with a new password for one. */
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { makeEntry, nameKey } from './people.ts'

const SHORTEST = 10

const { positionals, values } = parseArgs({ allowPositionals: true, options: { admin: { type: 'boolean' } } })
const name = positionals.join(' ').trim()
if (name === '' || /[:,=#"'\\\p{C}]/u.test(name))
  fail('Usage: npm run add-person -- NAME [--admin]. A name has no quotes, commas, colons, # or =.')

const password = (process.stdin.isTTY ? await ask() : await text(process.stdin)).replace(/\r?\n$/, '')
if (password.length < SHORTEST) fail(`The password needs at least ${SHORTEST} characters.`)

const others = (process.env['DESK_PEOPLE'] ?? '')
  .split(',')
  .filter((entry) => entry.trim() !== '' && nameKey(entry.split(':')[0] ?? '') !== nameKey(name))
const entry = await makeEntry(name, values.admin ? 'admin' : 'desk', password)
console.error(
  '\nThis line replaces DESK_PEOPLE in .env, or where your server has its variables. Then start the bot again.\n',
)
console.log(`DESK_PEOPLE=${[...others, entry].join(',')}`)

/** Shows nothing of what is typed. */
async function ask(): Promise<string> {
  console.error(`Password of ${name}:`)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input: process.stdin, output: silent, terminal: true })
  terminal.on('SIGINT', () => process.exit(130))
  const typed = await terminal.question('')
  terminal.close()
  return typed
}

function fail(problem: string): never {
  console.error(problem)
  process.exit(1)
}
