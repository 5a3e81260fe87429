import { readError, SwitchhookError } from '../../base/errors.ts'

/** An error of a statement or a connection. `state` is PostgreSQL's code; undefined if the server did not answer. */
export class DatabaseFault extends Error {
  readonly state: string | undefined

  constructor(cause: unknown) {
    super('PostgreSQL did not do what was asked', { cause })
    this.state = stateOf(cause)
  }
}

class Locked extends DatabaseFault {}

function stateOf(cause: unknown): string | undefined {
  const { code, severity } = (cause ?? {}) as { code?: unknown; severity?: unknown }
  return typeof severity === 'string' && typeof code === 'string' ? code : undefined
}

/**
 * Codes of an operation that cannot be stored: a row named twice (21), bad data (22), a known key (23), a wrong
 * statement (42, except a missing right or table), a limit (54).
 */
const ROW = /^(21|22|23|42(?!501|P01)|54)/

/**
 * Codes of values that the database refuses, such as a text that is too long. Other codes may disappear when a person
 * repairs an altered table.
 */
const FOR_ITSELF = /^(21|22|23|54)/

const FORGOTTEN = /^(26000|42P05)$/

const OUTDATED = '0A000'

/** Codes of a transaction or statement that took too long. 25P04: the server has ended the whole transaction. */
const LATE = /^(55P03|57014|25P04)$/

/**
 * Codes that pass: connections (08), plans (0A000), statement names (26, 42P05), conflicts (40), resources (53), locks
 * (55), shutdowns and other interventions (57), time (25P), a server that may only read (25006): after a failover
 * another server may write.
 */
const PASSING = /^(08|0A000|26|40|42P05|53|55|57|25P|25006)/

/** Codes of a connection that is lost: the server has ended it, or has given its role to another server. */
const CONNECTION = /^(08|25006|25P03|57P0[1-5])/

/**
 * Returns the kind of an error. `row`: one operation cannot be stored. `locked`: one operation waits for a lock of
 * another program. `passing`: a repetition may succeed soon. `lasting`: a person has to fix it.
 */
export function kindOf(error: unknown): 'row' | 'locked' | 'passing' | 'lasting' {
  // An error that is not the database's is the fault of this operation.
  if (!(error instanceof DatabaseFault)) return 'row'
  if (error instanceof Locked) return 'locked'
  const { state } = error
  if (state === undefined || PASSING.test(state)) return 'passing'
  return ROW.test(state) ? 'row' : 'lasting'
}

export function ofStatement(error: unknown): unknown {
  return error instanceof DatabaseFault && LATE.test(error.state ?? '') ? new Locked(error.cause) : error
}

/** Returns true if an operation's own values are refused. An error that is not the database's counts too. */
export function isForItself(error: unknown): boolean {
  return !(error instanceof DatabaseFault) || FOR_ITSELF.test(error.state ?? '')
}

/** Returns true if the statement may succeed on another connection. Without a state, the server did not answer. */
export function isOfConnection({ state }: DatabaseFault): boolean {
  return state === undefined || CONNECTION.test(state)
}

export function isServers(error: unknown): error is DatabaseFault {
  return error instanceof DatabaseFault && error.state !== undefined
}

export function mayOnlyRead(error: unknown): boolean {
  return isServers(error) && error.state === '25006'
}

export function refusesConnections(error: unknown): boolean {
  return error instanceof DatabaseFault && readError(error.cause).code === 'ECONNREFUSED'
}

/**
 * Returns true if a connection does not know a prepared statement. A pooler may have given it the server's connection
 * of another client.
 */
export function isOfNames(error: unknown): boolean {
  return isServers(error) && (error.state === OUTDATED || FORGOTTEN.test(error.state ?? ''))
}

export function isConflict(error: unknown): boolean {
  return isServers(error) && error.state?.startsWith('40') === true
}

/**
 * Makes the error for the caller. `error` is undefined if the server has not answered yet. Only the code is shown,
 * because messages may contain values.
 */
export function unavailable(what: string, error: unknown): SwitchhookError {
  return new SwitchhookError('store_unavailable', `${what}: ${shown(error)}`, { cause: error })
}

function shown(error: unknown): string {
  if (error === undefined) return 'it was not done in time'
  const cause = error instanceof DatabaseFault ? error.cause : error
  const state = stateOf(cause)
  if (state !== undefined) return `${meaningOf(state)} (${state})`
  const { code } = readError(cause)
  return `the server cannot be reached${code === '' ? '' : ` (${code})`}`
}

function meaningOf(state: string): string {
  const general = /^42(?!P05)/.test(state)
    ? 'its tables are not as this release has made them'
    : 'PostgreSQL refused it'
  return MEANINGS[state] ?? general
}

const MEANINGS: Readonly<Record<string, string>> = {
  [OUTDATED]: 'a table was altered meanwhile',
  '25006': 'the transaction may only read',
  '25P02': 'an earlier statement of the transaction has failed: roll it back',
  '28000': 'the server does not let this user in',
  '28P01': 'the password is wrong',
  '3D000': 'this database does not exist: create it first',
  '42501':
    'the user lacks a right: a bot must own the schema switchhook, or may create it; an app that sends in a transaction uses it',
  '42P01': 'a table is gone: start the bot again',
  '53100': 'the disk of the server is full',
  '53300': 'the server has no connection left',
  '54000': 'a text is too long for an index',
  '55P03':
    'somebody else holds a lock, such as a transaction of the app that sends under the same key: commit it, or roll it back',
  '25P04': 'it took too long',
  '57014': 'it took too long',
}
