import { readFileSync } from 'node:fs'

/** The files and connections that a busy process has open: its database, incoming deliveries and outgoing calls. */
const FILES_NEEDED = 1_024

/** The most files and connections that this process may have open; undefined on other systems than Linux. */
function openFileLimit(): number | undefined {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return limit === undefined ? undefined : Number(limit)
  } catch {
    return undefined
  }
}

/**
 * A warning that this process may open too few files, so that connections are cut; undefined if the limit is high
 * enough.
 */
export function tooFewFiles(): string | undefined {
  const limit = openFileLimit()
  if (limit === undefined || limit >= FILES_NEEDED) return undefined
  return `this process may have ${limit} files and connections open, but a busy one needs ${FILES_NEEDED.toLocaleString('en')}: further connections are cut without an error. Raise the limit (ulimit -n, or LimitNOFILE of systemd)`
}
