import { type ChildProcess, spawn } from 'node:child_process'

/** Whether a process that is started `detached` has a group of its own: all that it starts in its turn is in it. */
export const HAS_GROUPS = process.platform !== 'win32'

/** Whether anybody of a process's group is left. */
export function isGroupAlive({ pid }: ChildProcess): boolean {
  if (pid === undefined || !HAS_GROUPS) return false
  try {
    return process.kill(-pid, 0)
  } catch {
    return false
  }
}

/** Tells a process, and all of its group. */
export function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(HAS_GROUPS ? -pid : pid, signal)
  } catch {
    // Nobody is left.
  }
}

/**
 * Waits for the end of its input, which comes with the end of whoever holds it; then ends the group, as a stop does. It
 * looks each second whether anybody is left, since later the group's number may be another's.
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
 * Ends a process's group where this process ends and can tell it nothing, as where it is killed. An app that is left
 * behind would hold its port, and refuse the deliveries of the next emulator. To be disposed of when the group has
 * ended: from then on its number may be another's.
 */
export function endGroupWithParent({ pid }: ChildProcess, patienceMs: number): Disposable {
  if (pid === undefined || !HAS_GROUPS) return { [Symbol.dispose]() {} }
  // A group of its own: a terminal's Ctrl-C must not end it before the other one has ended.
  const guard = spawn('/bin/sh', ['-c', SOURCE, 'sh', String(pid), String(Math.ceil(patienceMs / 1_000))], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  // Where there is no such shell, something may be left behind.
  guard.once('error', () => {})
  guard.unref()
  return { [Symbol.dispose]: () => void guard.kill('SIGKILL') }
}
