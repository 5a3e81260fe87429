import { type ChildProcess, spawn } from 'node:child_process'

/** True if a process that is spawned `detached` leads a process group, to which its own children belong too. */
export const HAS_GROUPS = process.platform !== 'win32'

export function isGroupAlive({ pid }: ChildProcess): boolean {
  if (pid === undefined || !HAS_GROUPS) return false
  try {
    return process.kill(-pid, 0)
  } catch {
    return false
  }
}

export function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(HAS_GROUPS ? -pid : pid, signal)
  } catch {
    // No process of the group is left.
  }
}

/**
 * A shell script that waits for the end of its stdin, which comes with the end of this process, and then ends the
 * group: TERM, and KILL after some seconds. It checks each second for survivors, since the number of a group that is
 * gone may be given to another.
 */
const SOURCE = `
read -r _
kill -TERM "-$1"
left=$2
while [ "$left" -gt 0 ] && kill -0 "-$1"; do
  sleep 1
  left=$((left - 1))
done
kill -KILL "-$1"`

/**
 * Ends a child's group if this process ends without being able to do so, for instance because it is killed. A surviving
 * app would keep its port and refuse the next emulator's deliveries. Dispose of the guard when the group has ended:
 * from then on its number may belong to another group.
 */
export function endGroupWithParent({ pid }: ChildProcess, patienceMs: number): Disposable {
  if (pid === undefined || !HAS_GROUPS) return { [Symbol.dispose]() {} }
  // The guard has a group of its own, so that Ctrl-C at a terminal does not end the guard before the child.
  const guard = spawn('/bin/sh', ['-c', SOURCE, 'sh', String(pid), String(Math.ceil(patienceMs / 1_000))], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  // Without this shell the group may survive.
  guard.once('error', () => {})
  guard.unref()
  return { [Symbol.dispose]: () => void guard.kill('SIGKILL') }
}
