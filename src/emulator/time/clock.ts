/**
 * The emulator's clock: wall time, moved by an offset. Payload times, the window and the memory of keys
 * follow it; signatures follow the wall, since receivers refuse any other time.
 */
export interface EmulatorClock {
  /** Milliseconds since the epoch, by the emulated service. */
  now(): number
  /** Milliseconds since the epoch, by this machine. */
  wall(): number
  /** How far `now` is from `wall`, in whole milliseconds. */
  readonly offset: number
  /** Moves the clock forward by whole milliseconds. */
  advance(ms: number): void
  /** Moves the clock to a time; answers how many milliseconds it went forward (below zero: back). */
  set(now: number): number
  /** Back to the offset that it began with. */
  reset(): number
}

/** `start`: where it begins, and where a reset takes it; `savedNow`: where it goes on from instead. */
export function createEmulatorClock(wall: () => Date, start: Date | undefined, savedNow?: number): EmulatorClock {
  const wallMs = () => wall().getTime()
  const firstOffset = start === undefined ? 0 : start.getTime() - wallMs()
  let offset = savedNow === undefined ? firstOffset : Math.round(savedNow - wallMs())
  const moveTo = (next: number) => {
    const moved = next - offset
    offset = next
    return moved
  }
  return {
    now: () => wallMs() + offset,
    wall: wallMs,
    get offset() {
      return offset
    },
    advance(ms) {
      offset += ms
    },
    set: (now) => moveTo(Math.round(now - wallMs())),
    reset: () => moveTo(firstOffset),
  }
}
