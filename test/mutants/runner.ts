import type { Mutant } from './driver/mutant.ts'

export default [
  {
    file: 'src/bot/lanes/runner.ts',
    from: 'if (hasRoom) this.#free(number)\n',
    to: '\n',
    promise: 'ROOM-1',
    killedBy: { 'test/bot/lanes/runner.test.ts': 'have room again that was reserved for a commit which failed' },
  },
  {
    file: 'src/bot/inbox/receiver.ts',
    from: 'room.cancel()\n',
    to: '\n',
    promise: 'ROOM-1',
    breaks: 'Room that was reserved for a delivery is free again if its commit fails.',
    killedBy: { 'test/bot/inbox/refused-rows.test.ts': 'is an answer of 503 if the database refuses every write' },
  },
  {
    file: 'src/bot/lanes/runner.ts',
    from: 'if (!keeps) this.#freeRoom()',
    to: '',
    promise: 'ROOM-2',
    killedBy: { 'test/bot/lanes/runner.test.ts': 'leave their room to others before they settle' },
  },
  {
    file: 'src/bot/lanes/room.ts',
    from: 'Math.min(this.#free, this.#refused + Math.min(UNKNOWN, Math.ceil(this.#free / 2)))',
    to: 'this.#free',
    promise: 'ROOM-3',
    breaks: 'What arrives during a claim begins in its own commit.',
    killedBy: { 'test/bot/lanes/runner.test.ts': 'leave room to what arrives while a claim looks' },
  },
  {
    file: 'src/bot/lanes/runner.ts',
    from: 'if (this.#room.isFull) await afterThisTurn()',
    to: '',
    promise: 'ROOM-4',
    killedBy: { 'test/bot/lanes/runner.test.ts': 'begin what arrives in the turn in which other work ends' },
  },
] satisfies Mutant[]
