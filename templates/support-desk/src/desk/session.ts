/** Who has signed in: an encrypted cookie of the browser, checked against the list of people for each request. */
import { randomUUID } from 'node:crypto'
import type { Request, Response } from 'express'
import { getIronSession, nodeCookies, type SessionOptions } from 'iron-session'
import { findPerson, type Person } from './people.ts'

interface Session {
  id: string
  name: string
  /** Of the password that was used: a new password ends the sessions of the old one. */
  salt: string
}

/** A working day. Then a person signs in again. */
const LONGEST_SECONDS = 12 * 60 * 60

export function createSessions(o: { people: readonly Person[]; secret: string; isProduction: boolean }) {
  const options: SessionOptions = {
    cookieName: 'desk',
    password: o.secret,
    ttl: LONGEST_SECONDS,
    cookieOptions: { httpOnly: true, sameSite: 'lax', secure: o.isProduction },
  }
  /** The browser forgets the cookie, but an open stream, or a copy, still has it. One id for each press of "Sign out". */
  const ended = new Set<string>()

  const open = (request: Request, response: Response) =>
    getIronSession<Session>(nodeCookies(request, response), options)

  /** The person who sends this request, who may have been removed since they signed in. */
  async function personOf(request: Request): Promise<Person | undefined> {
    const { id = '', name = '', salt } = await open(request, request.res as Response)
    const person = findPerson(o.people, name)
    return person && person.password.salt === salt && !ended.has(id) ? person : undefined
  }

  async function begin(person: Person, request: Request, response: Response): Promise<void> {
    const session = await open(request, response)
    Object.assign(session, { id: randomUUID(), name: person.name, salt: person.password.salt } satisfies Session)
    await session.save()
  }

  async function end(request: Request, response: Response): Promise<void> {
    const session = await open(request, response)
    if (session.id !== undefined) ended.add(session.id)
    session.destroy()
  }

  return { personOf, begin, end }
}

export type Sessions = ReturnType<typeof createSessions>
