import { reasonOf } from '../../base/errors.ts'
import { NotUpToDate } from '../../stores/port/reader.ts'
import { bad, doubt, type Finding } from './finding.ts'

/** A database that cannot be opened. */
export function failed(id: string, error: unknown): Finding {
  const mendsItself = error instanceof Error && error.cause instanceof NotUpToDate
  return (mendsItself ? doubt : bad)(id, reasonOf(error), 'see what is said there')
}
