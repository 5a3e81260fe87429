/** The people who sign in, with hashed passwords, as DESK_PEOPLE lists them. */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

export interface Person {
  readonly name: string
  /** `desk`: answers customers. `admin`: sees the admin page too. */
  readonly role: Role
  readonly password: HashedPassword
}

export type Role = 'desk' | 'admin'

interface HashedPassword {
  readonly cost: { readonly N: number; readonly r: number; readonly p: number }
  /** Another one for each password, also for the next one of the same person. */
  readonly salt: string
  readonly key: Buffer
}

const derive = promisify<string, string, number, HashedPassword['cost'], Buffer>(scrypt)

/** What OWASP recommends for 16 MB of memory: a fifth of a second on a usual machine. */
const COST = { N: 16_384, r: 8, p: 5 }
const KEY_BYTES = 32

/** `name:role:scrypt.N.r.p.salt.key`, as `npm run add-person` writes it. */
const ENTRY = /^([^:,]+):(desk|admin):scrypt\.(\d+)\.(\d+)\.(\d+)\.([\w-]+)\.([\w-]{43})$/

/** @throws Error that names the entry, without its password */
export function readPeople(text: string): Person[] {
  const people = text
    .split(',')
    .filter((entry) => entry.trim() !== '')
    .map(readPerson)
  const twice = people.find(({ name }, at) => findPerson(people, name) !== people[at])
  if (twice) throw new Error(`names ${twice.name} twice`)
  return people
}

function readPerson(entry: string, at: number): Person {
  const found = ENTRY.exec(entry.trim())
  if (!found) throw new Error(`has an entry that cannot be read, number ${at + 1}: npm run add-person writes them`)
  const [, name = '', role, N, r, p, salt = '', key = ''] = found
  const password = { cost: { N: Number(N), r: Number(r), p: Number(p) }, salt, key: Buffer.from(key, 'base64url') }
  return { name: name.trim(), role: role as Role, password }
}

export async function makeEntry(name: string, role: Role, password: string): Promise<string> {
  const salt = randomBytes(16).toString('base64url')
  const key = await derive(password.normalize(), salt, KEY_BYTES, COST)
  return `${name}:${role}:scrypt.${COST.N}.${COST.r}.${COST.p}.${salt}.${key.toString('base64url')}`
}

/** Capital letters and spaces around a name do not matter. */
export function nameKey(name: string): string {
  return name.trim().toLowerCase()
}

export function findPerson(people: readonly Person[], name: string): Person | undefined {
  return people.find((person) => nameKey(person.name) === nameKey(name))
}

/** Nobody's. An unknown name takes as long as a wrong password: so the time does not tell who works here. */
const NOBODY: HashedPassword = { cost: COST, salt: 'nobody', key: Buffer.alloc(KEY_BYTES) }

/** The person, if the password is theirs. */
export async function checkPassword(
  people: readonly Person[],
  name: string,
  password: string,
): Promise<Person | undefined> {
  const person = findPerson(people, name)
  const { cost, salt, key } = person?.password ?? NOBODY
  const isTheirs = timingSafeEqual(await derive(password.normalize(), salt, KEY_BYTES, cost), key)
  return isTheirs ? person : undefined
}
